"""The statement of a diagnosis in the forms that files have, and what is said of each."""

from __future__ import annotations

import pytest

from mrarebench_hf.prompt import statement_of, without_diagnosis


@pytest.mark.parametrize(
    ("context", "diagnosis", "left"),
    [
        ("Established diagnosis: Fabry disease (alpha-galactosidase A deficiency). A boy.", "Fabry disease", "A boy."),
        ("Established diagnosis: Gaucher disease, type 2. A boy.", "Gaucher disease", "A boy."),
        ("Established diagnosis: 22q11.2 deletion syndrome (distal). A boy.", "22q11.2 deletion syndrome", "A boy."),
        ("**Established diagnosis:** ECD. A man.", "ECD", "A man."),
        ("Established diagnosis - ECD\nA man. He came.", "ECD", "A man. He came."),
        ("A man came.", "ECD", "A man came."),
    ],
)
def test_the_whole_statement_goes_and_nothing_else(context: str, diagnosis: str, left: str) -> None:
    assert without_diagnosis(context, diagnosis) == left


def test_how_it_was_found_can_be_told() -> None:
    assert statement_of("Established diagnosis: ECD. A man.", "ecd") == "named"
    assert statement_of("Established diagnosis: ECD. A man.", "") == "full_stop"
    assert statement_of("A man.", "ECD") == "none"
