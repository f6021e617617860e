"""sqljury's own format: one line of JSON per case, with all fields of a Case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import IO

from sqljury.benchmarks.fields import as_object, as_samples, build, stated
from sqljury.benchmarks.files import Source
from sqljury.benchmarks.formats import Format, Options, register
from sqljury.benchmarks.names import FIELDS
from sqljury.benchmarks.result_tables import PREDICTION, REFERENCES
from sqljury.benchmarks.texts import dump
from sqljury.case import Case, Json
from sqljury.errors import InputError

_SLOTS = frozenset(Case.__slots__)
_IDENTITY = {name: name for name in FIELDS}


@register
class Own(Format):
    """Cases in sqljury's own form, read as written: the file's name is no benchmark."""

    name = "sqljury"
    description = "our own JSON lines: what write_cases writes, nothing lost"
    priority = 10

    def claims(self, source: Source) -> bool:
        """True if the records have lists of references, text ids, and only keys that a Case has."""
        return bool(source.head) and all(
            isinstance(record.data, dict)
            and _SLOTS.issuperset(record.data)
            and isinstance(record.data.get("reference_sqls"), list)
            and isinstance(record.data.get("id"), str)
            for record in source.head
        )

    def read(self, source: Source, options: Options) -> Iterator[Case]:
        """The cases as they were written."""
        layout = stated(_IDENTITY, options.mapping)
        for position, record in enumerate(source.records()):
            case = build(record, layout, position=position, stem="", benchmark=options.benchmark)
            yield _completed(case, as_object(record), record.origin)

    def write(self, cases: Iterable[Case], stream: IO[str]) -> None:
        """Writes one line per case."""
        for case in cases:
            stream.write(dump(case.to_dict()) + "\n")


def _completed(case: Case, data: Mapping[str, Json], origin: str) -> Case:
    """The case with the fields that only our own files have."""
    strange = [key for key in data if key not in _SLOTS]
    extra = data.get("extra", {})
    if strange or not isinstance(extra, dict):
        what = f"{strange[0]!r} is no field of a case" if strange else "'extra' is no object"
        raise InputError("SJ105", f"{what}.", where=origin)
    pool = as_samples(data.get("pool", []), "pool", origin)
    origin = str(data.get("origin") or origin)
    case = replace(case, extra=extra, pool=pool, origin=origin)
    tables = {name: data[name] for name in (REFERENCES, PREDICTION) if name in data}
    try:
        return Case.from_dict({**case.to_dict(), **tables}) if tables else case
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError("SJ105", f"not a result table: {error}.", where=origin) from None
