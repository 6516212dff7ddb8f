"""Suite files: from YAML to a checked value.

The YAML is the plain part that people write by hand: no anchors (a few of them can stand for
gigabytes), no tags, one document, each key once.
"""

from pydantic import ValidationError

from schemas.errors import InvalidFile
from schemas.plain_yaml import parse_yaml
from schemas.problems import problems_of
from schemas.sweep import Suite
from tasks.storage.files import read_regular


def read_suite(path: str) -> Suite:
    """The suite of a file.

    Raises:
        UserError: The file cannot be read.
        InvalidFile: It is no suite; every problem is listed.
    """
    data, problems = parse_yaml(read_regular(path))
    if not problems:
        try:
            return Suite.model_validate(data)
        except ValidationError as error:
            problems = problems_of(error, data)
    raise InvalidFile(f"{path} is not a valid suite", file=path, problems=problems)
