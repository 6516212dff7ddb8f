"""A command line that repeats a run: what a reader of a result wants to type."""

import json
import shlex

from schemas.run import RunSpec


def command_of(spec: RunSpec) -> str:
    """`assent evaluate …` with every setting that differs from its default."""
    plain = RunSpec(benchmark=spec.benchmark, model=spec.model)
    params, plain_params = spec.sampling.params, plain.sampling.params
    words = ["assent", "evaluate", spec.benchmark, "--model", str(spec.model)]
    for flag, value, default in (
        ("--base-url", spec.model.base_url, None),
        ("--n-samples", spec.sampling.n_samples, plain.sampling.n_samples),
        ("--temperature", params.temperature, plain_params.temperature),
        ("--max-tokens", params.max_tokens, plain_params.max_tokens),
        ("--top-p", params.top_p, None),
        ("--seed", params.seed, None),
        ("--tie-break", spec.voting.tie_break, plain.voting.tie_break),
        ("--parser", spec.voting.parser, plain.voting.parser),
        ("--question-form", spec.prompting.question_form, plain.prompting.question_form),
        ("--coherence-frame", spec.prompting.coherence_frame, None),
        ("--paraphrase-variant", spec.prompting.variant, 0),
        ("--epoch", spec.sampling.epoch, ""),
        ("--limit", spec.selection.limit, None),
        ("--max-failed", spec.max_failed, plain.max_failed),
    ):
        if value != default:
            words += [flag, str(value)]
    for flag, values in (
        ("--stop", params.stop),
        ("--items", spec.selection.items),
        ("--tag", spec.selection.tags),
    ):
        for value in values:
            words += [flag, value]
    if params.model_extra:
        words += ["--extra-body", json.dumps(params.model_extra)]
    if not spec.prompting.strip_tex:
        words.append("--no-strip-tex")
    if spec.prompting.allow_plugins:
        words.append("--allow-plugins")
    return shlex.join(words)
