"""XML that nobody vouches for as a tree: nothing is fetched, nothing expanded, and nothing huge is built."""

from __future__ import annotations

from typing import Any

from fathom.corpus.readers.parsed_document import ReadError


def root_of(content: bytes) -> Any:
    """The outermost element, without comments and instructions; raises `ReadError` where there is none.

    Huge trees stay off: the parser then refuses what is nested deeper than 256, and entities that multiply. Ids are not
    collected: the documents of a corpus each count theirs from the same number.
    """
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        collect_ids=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, LookupError, ValueError) as error:
        raise ReadError(f"it is no well-formed XML: {str(error)[:200]}") from error
    if root is None:
        raise ReadError("it is no well-formed XML: it has no element")
    return root
