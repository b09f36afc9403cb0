"""Writes the parquet files of the tests, and what stands in them as csv. Needs pyarrow and pandas."""

import csv
import datetime
import decimal
from pathlib import Path

import numpy
import pandas
import pyarrow
from pyarrow import parquet

HERE = Path(__file__).parent / "parquet"
HERE.mkdir(exist_ok=True)


def mixed():
    """One column of every kind, with gaps, in groups of three rows and pages of two values."""
    halves = numpy.array([0.5, -2.0, 65504.0, 6e-8, 0.0, 1.25, 3.5], "float16")
    day = datetime.date
    columns = {
        "id": pyarrow.array(["ant", "bee, the", 'a "cod"', "dog;cat", "#emu", "fox", "gnu é"]),
        "x": pyarrow.array([0.1, None, 1e-300, -2.5, 1e22, 1 / 3, 0.0]),
        "single": pyarrow.array([0.1, 0.2, None, 4.0, 5.5, 1e10, 7.0], "float32"),
        "half": pyarrow.array(halves),
        "small": pyarrow.array([-7, 2, None, 4, 5, 6, 127], "int8"),
        "whole": pyarrow.array([1, 2, 3, -(2**53), None, 6, 7], "int64"),
        "unsigned": pyarrow.array([1, 2**32 - 1, 3, 4, 5, 6, None], "uint32"),
        "flag": pyarrow.array([True, False, None, True, True, False, False]),
        "site": pyarrow.array(["soil", None, "sea", "sea", "soil", "soil", "sea"]).dictionary_encode(),
        "day": pyarrow.array([day(2026, 11, 17), day(1969, 12, 31), None, day(2000, 2, 29), day(1900, 3, 1),
                              day(2100, 2, 28), day(1, 1, 1)]),
        "at": pyarrow.array([datetime.datetime(2026, 11, 17, 21, 30, 0, 500000), None,
                             datetime.datetime(1969, 12, 31, 23, 59, 59, 1)] + [datetime.datetime(2000, 1, 1)] * 4,
                            pyarrow.timestamp("us")),
        "money": pyarrow.array([decimal.Decimal(v) for v in "1.50 -0.05 12345.67 0.00 9.99 -3.00".split()] + [None],
                               pyarrow.decimal128(9, 2)),
    }
    table = pyarrow.table(columns)
    parquet.write_table(table, HERE / "mixed.parquet", row_group_size=3, data_page_size=16, write_batch_size=2)
    with open(HERE / "mixed.csv", "w", newline="") as file:
        out = csv.writer(file, quoting=csv.QUOTE_MINIMAL, lineterminator="\n")
        out.writerow(columns)
        for k in range(table.num_rows):
            out.writerow([as_text(name, column[k].as_py()) for name, column in columns.items()])


def as_text(name, value):
    if value is None:
        return ""
    if name == "single":
        return repr(float(numpy.float32(value)))
    if name == "half":
        return repr(float(value))
    if name == "flag":
        return str(int(value))
    if name == "at":
        return value.isoformat().rstrip("0") if value.microsecond else value.isoformat()
    return repr(value) if isinstance(value, float) else str(value)


def indexed():
    """What pandas writes of a frame whose rows have names."""
    frame = pandas.DataFrame({"legs": [6, 6, 0], "wings": [0.0, 4.0, None]}, index=["ant", "bee", "cod"])
    frame.to_parquet(HERE / "indexed.parquet", compression="zstd")
    frame.index = pandas.RangeIndex(10, 16, 2)
    frame.to_parquet(HERE / "counted.parquet")


def long():
    """Distances in long form, in the second version of pages, differences of numbers and of words."""
    places = {"a": (0, 0), "b": (3, 4), "c": (6, 8)}
    rows = [(p, q) for p in places for q in places if p < q]
    length = lambda p, q: ((places[p][0] - places[q][0]) ** 2 + (places[p][1] - places[q][1]) ** 2) ** 0.5
    table = pyarrow.table({
        "from": [p for p, _ in rows],
        "to": [q for _, q in rows],
        "value": [length(p, q) for p, q in rows],
        "weight": [1, 2, 1],
    })
    parquet.write_table(table, HERE / "long.parquet", compression="gzip", data_page_version="2.0", use_dictionary=False,
                        column_encoding={"from": "DELTA_BYTE_ARRAY", "to": "DELTA_LENGTH_BYTE_ARRAY",
                                         "value": "BYTE_STREAM_SPLIT", "weight": "DELTA_BINARY_PACKED"})


def refused():
    """A cell of several values, a packing that is not read, and one page of 48 megabytes in a file of some kilobytes."""
    parquet.write_table(pyarrow.table({"id": ["a", "b"], "values": [[1.0, 2.0], [3.0]]}), HERE / "list.parquet")
    parquet.write_table(pyarrow.table({"id": ["a", "b"], "x": [1.0, 2.0]}), HERE / "brotli.parquet", compression="brotli")
    zeros = pyarrow.table({"id": ["a", "b"], "text": ["0" * 48_000_000, "1"]})
    parquet.write_table(zeros, HERE / "zeros.parquet", compression="zstd", use_dictionary=False, write_statistics=False)


for write in (mixed, indexed, long, refused):
    write()
