"""Generated prose: facts far apart, with corrections, exceptions and changing units."""

from fathom.corpus.generated.prose.document import DOMAINS, write_prose

__all__ = ["DOMAINS", "write_prose"]
