"""How the side with the tests ends."""

PASSED = 0
FAILED = 10
NOT_IMPORTED = 11
BAD_TESTS = 12
