"""What can go wrong: one class a kind, each also the built-in class that Python users expect."""

from __future__ import annotations


class NearerError(Exception):
    """Something that nearer refuses. The sentence names the value, the place and the remedy.

    ``kind`` is a word for programs, ``remedy`` what to do about it, ``file``, ``line`` and ``column`` where it is, each as far as
    it is known.
    """

    kind: str | None = None
    remedy: str | None = None
    file: str | None = None
    line: int | None = None
    column: int | None = None


class InputError(NearerError, ValueError):
    """A value that cannot be used."""


class FormatError(NearerError, ValueError):
    """Input whose kind is not clear, or that is not of the kind asked for."""


class FileError(NearerError, OSError):
    """A file that could not be opened, read or written."""


class ParameterError(NearerError, ValueError):
    """A parameter out of its range, or one that the method does not have."""


class KeywordError(ParameterError, TypeError):
    """A keyword that nothing listens to."""


class EvidenceError(NearerError, ValueError):
    """Evidence that a method cannot work with."""


class UnknownLabelError(EvidenceError, LookupError):
    """A label that names no object."""


class DisconnectedError(EvidenceError):
    """Known pairs that fall apart into groups with nothing measured between them."""


class MemoryLimitError(NearerError, MemoryError):
    """More memory would be needed than there is."""


class NumericalError(NearerError, ArithmeticError):
    """A numerical routine that failed on finite input; worth reporting."""


class Cancelled(NearerError):
    """A run that was ended before there was anything to give back."""


class InputTypeError(NearerError, TypeError):
    """Input of a type that holds no evidence."""


class MissingPackageError(NearerError, ImportError):
    """An optional package that is needed and not installed."""


def missing(package: str, what: str, extra: str | None = None) -> MissingPackageError:
    """The error for an optional package."""
    install = f'pip install "nearer[{extra}]"' if extra else f"pip install {package}"
    error = MissingPackageError(f"{what} needs {package}, which is not installed; {install}")
    error.kind, error.remedy = "missing-package", install
    return error


def refuse(what: str, remedy: str, kind: type[NearerError] = EvidenceError) -> NearerError:
    """An error made on this side, worded as those of the library: what is wrong; what to do."""
    error = kind(f"{what}; {remedy}")
    error.remedy = remedy
    return error
