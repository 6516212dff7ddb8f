"""Which paths a patch may touch: what is never allowed, what a row allows, what is sensitive."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from typing import Final, NamedTuple

from schemas.pack import Profile
from tasks.packs.verifiers.patch_parsing import NotCanonical, Section, parse_patch

PHASE: Final = "candidate_policy"
NOT_CANONICAL: Final = "noncanonical_candidate_patch"
VIOLATION: Final = "candidate_patch_policy_violation"
NOTHING_LEFT: Final = "empty_filtered_candidate_patch"

_SPECIAL_MODES: Final = frozenset({"120000", "160000"})


class _Sensitive(NamedTuple):
    """What makes a path sensitive, in lower case."""

    first: frozenset[str]
    segments: frozenset[str]
    names: frozenset[str]
    prefixes: tuple[str, ...]
    suffixes: tuple[str, ...]

    def holds(self, segments: Sequence[str]) -> bool:
        """Whether a path is sensitive."""
        lower = [segment.lower() for segment in segments]
        if not lower:
            return False
        name = lower[-1]
        return (
            lower[0] in self.first
            or not self.segments.isdisjoint(lower)
            or name in self.names
            or name.startswith(self.prefixes)
            or name.endswith(self.suffixes)
        )


_NAMES: Final = """
cargo.lock cargo.toml conftest.py go.mod go.sum package.json package-lock.json pipfile pipfile.lock
pnpm-lock.yaml poetry.lock pyproject.toml requirements-dev.txt requirements-test.txt
requirements.txt setup.cfg setup.py tox.ini yarn.lock sitecustomize.py usercustomize.py
"""
_MORE_NAMES: Final = """
makefile dockerfile .gitattributes .gitmodules .coveragerc cmakelists.txt build.gradle pom.xml
"""
_COMPAT: Final = _Sensitive(
    first=frozenset({".github", ".gitlab", "ci", "securebench", "pytest"}),
    segments=frozenset({"__pycache__", "test", "tests"}),
    names=frozenset(_NAMES.split()),
    prefixes=("pytest.", "noxfile."),
    suffixes=(".bash", ".sh", ".zsh", ".lock", ".pth"),
)
_TARGET: Final = _Sensitive(
    first=_COMPAT.first,
    segments=_COMPAT.segments | {"__tests__", "spec", "specs", "testing", ".circleci", ".husky"},
    names=_COMPAT.names | frozenset(_MORE_NAMES.split()),
    prefixes=(*_COMPAT.prefixes, "jest.config.", "vitest.config.", "test_"),
    suffixes=(
        *_COMPAT.suffixes,
        *("_test.go", "_test.py", ".test.js", ".test.ts", ".spec.js", ".spec.ts"),
    ),
)


class PathPolicy(NamedTuple):
    """What a row says about paths."""

    allow_paths: tuple[str, ...] = ()
    allow_sensitive_paths: tuple[str, ...] = ()
    patch_preserved_paths: tuple[str, ...] = ()
    profile: Profile = "target"


class PatchDecision(NamedTuple):
    """Whether a patch may be applied, and if so what is left of it."""

    reason: str | None
    patch: str = ""
    changed: frozenset[str] = frozenset()
    denied: tuple[str, ...] = ()


def decide(patch: str, policy: PathPolicy) -> PatchDecision:
    """The decision about the text of a patch that is not blank."""
    try:
        sections = parse_patch(patch)
    except NotCanonical:
        return PatchDecision(NOT_CANONICAL)
    kept = [s for s in sections if not _touches(s, policy.patch_preserved_paths, policy.profile)]
    if not kept:
        return PatchDecision(NOTHING_LEFT)
    denied = {path for section in kept for path in section.paths if is_denied(path, policy)}
    if policy.profile == "target":
        denied |= {path for section in kept for path in _special(section, policy)}
    if denied:
        return PatchDecision(VIOLATION, denied=tuple(sorted(denied)))
    text = "".join(section.text for section in kept)
    return PatchDecision(None, text, frozenset[str]().union(*(s.changed for s in kept)))


def is_denied(path: str, policy: PathPolicy) -> bool:
    """Whether a patch with this policy may not touch a path."""
    segments = [part for part in path.strip().split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in segments or not segments:
        return True
    if segments[0].lower() == "securebench":
        return True
    if policy.profile == "target" and any(part.lower() == ".git" for part in segments):
        return True
    if policy.allow_paths and not matches(path, policy.allow_paths, policy.profile):
        return True
    sensitive = _TARGET if policy.profile == "target" else _COMPAT
    if not sensitive.holds(segments):
        return False
    return not matches(path, policy.allow_sensitive_paths, policy.profile)


def _special(section: Section, policy: PathPolicy) -> Iterable[str]:
    """Paths that would become links or submodules, unless they are allowed to be sensitive."""
    if section.new_mode not in _SPECIAL_MODES:
        return ()
    allowed = policy.allow_sensitive_paths
    return [path for path in section.changed if not matches(path, allowed, policy.profile)]


def _touches(section: Section, patterns: Sequence[str], profile: Profile) -> bool:
    return any(matches(path, patterns, profile) for path in section.paths)


def matches(path: str, patterns: Iterable[str], profile: Profile = "target") -> bool:
    """Whether a path equals a pattern, lies below it, or fits it as a glob."""
    return any(_matches(path, pattern.rstrip("/"), profile) for pattern in patterns)


def _matches(path: str, pattern: str, profile: Profile) -> bool:
    if path == pattern or path.startswith(f"{pattern}/"):
        return True
    if profile == "compat":
        return fnmatchcase(path, pattern)
    return _fits(path.split("/"), pattern.split("/"))


def _fits(path: Sequence[str], pattern: Sequence[str]) -> bool:
    """Segment by segment; `**` spans any number of them, none included."""
    # reached[i]: the pattern so far can end after i segments of the path.
    reached = [True] + [False] * len(path)
    for part in pattern:
        if part == "**":
            first = reached.index(True) if True in reached else len(reached)
            reached = [at >= first for at in range(len(reached))]
            continue
        fits = [fnmatchcase(segment, part) for segment in path]
        reached = [False, *(reached[at] and fits[at] for at in range(len(path)))]
    return reached[-1]
