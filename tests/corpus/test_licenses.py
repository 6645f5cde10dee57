"""Licenses in prose, abbreviations and links."""

from __future__ import annotations

import pytest

from fathom.corpus.licenses import license_matches, spdx, stated_license


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("CC BY 4.0", "CC-BY-4.0"),
        ("CCBY", "CC-BY"),
        ("cc-by-nc-nd", "CC-BY-NC-ND"),
        ("CC-BY-SA-3.0", "CC-BY-SA-3.0"),
        ("CC-BY-NC-3.0-IGO", "CC-BY-NC-3.0-IGO"),
        ("CC0", "CC0-1.0"),
        ("mit", "MIT"),
        ("https://creativecommons.org/licenses/by-nc-sa/2.0/", "CC-BY-NC-SA-2.0"),
        ("http://creativecommons.org/licenses/by/4.0/deed.en", "CC-BY-4.0"),
        ("https://creativecommons.org/publicdomain/mark/1.0/", "CC-PDM-1.0"),
        ("You may reuse it under a Creative Commons Attribution License.", "CC-BY"),
        ("Creative Commons Attribution-Non Commercial-No Derivatives 4.0 International License", "CC-BY-NC-ND-4.0"),
        ("under Creative Commons Attribution NonCommercial ShareAlike License, version 3.0", "CC-BY-NC-SA-3.0"),
        ("Creative Commons Attribution 3.0 Unported Licence (CC BY 3.0)", "CC-BY-3.0"),
        ("Creative Commons Namensnennung - Nicht kommerziell 4.0 International", "CC-BY-NC-4.0"),
        ("Licencia Creative Commons Atribución 4.0 Internacional", "CC-BY-4.0"),
        ("知识共享署名-非商业性使用-禁止演绎 4.0 国际许可协议", "CC-BY-NC-ND-4.0"),
        ("Creative Commons Zero v1.0 Universal", "CC0-1.0"),
        (
            "Licensed under CC BY 4.0. The Creative Commons Public Domain Dedication waiver applies to the data made "
            "available in this article.",
            "CC-BY-4.0",
        ),
        ("https://creativecommons.org/licenses/by/4.0 Creative Commons Attribution License", "CC-BY-4.0"),
        ("Creative Commons Attribution License, which permits commercial and non-commercial use", "CC-BY"),
        ("Creative Commons Attribution (creativecommons.org/licenses/by/3.0), for non-commercial use", "CC-BY-3.0"),
        ("Creative Commons Public Domain declaration", "CC0-1.0"),
        ("cc_by_4_0", "CC-BY-4.0"),
        ("ccby4", "CC-BY-4.0"),
        ("Open Government Licence v3.0", "OGL-UK-3.0"),
        ("This document has been placed in the public domain.", "public domain"),
        ("© 2019 The Salt Press. All rights reserved.", "all rights reserved"),
        ("© 2019 A. Lind. All rights reserved. Distributed under CC BY-NC 4.0.", "CC-BY-NC-4.0"),
        ("http://arxiv.org/licenses/nonexclusive-distrib/1.0/", "arXiv-nonexclusive-1.0"),
        ("The Apache License, Version 2.0", "Apache-2.0"),
        # Two licenses, a contradiction, a denial, or words that name none.
        ("The text is CC BY 4.0, the figures are CC BY-NC 4.0.", None),
        ("Creative Commons Attribution License, which permits non-commercial use", None),
        ("This work is not licensed under CC BY.", None),
        ("a Creative Commons license", None),
        ("Ask the authors before you print it.", None),
        ("ccbyrd", None),
        ("", None),
    ],
)  # fmt: skip
def test_a_license_has_one_name(text: str, name: str | None) -> None:
    assert spdx(text) == name
    assert name is None or spdx(name) == name


@pytest.mark.parametrize(
    ("license", "wanted", "kept"),
    [
        ("CC-BY", "CC-BY", True),
        ("CC-BY-4.0", "cc-by", True),
        ("CC-BY-2.0-UK", "CC-BY", True),
        ("CC-BY-NC-4.0", "CC-BY", False),
        ("CC-BY-NC-4.0", "CC-BY*", True),
        ("CC-BY-NC-4.0", "CC-BY-NC", True),
        ("CC0-1.0", "CC0", True),
        ("CC0-1.0", "CC", False),
        ("CC0-1.0", "CC*", True),
        ("CC-BY-3.0", "CC-BY-4.0", False),
    ],
)
def test_a_filter_keeps_every_version_of_a_license(license: str, wanted: str, kept: bool) -> None:
    assert license_matches(license, wanted) == kept


@pytest.mark.parametrize(
    ("paragraphs", "name"),
    [
        (
            "Copyright: © 2019 Lind et al. This is an open access article distributed under the terms of the Creative "
            "Commons Attribution License, which permits unrestricted use.",
            "CC-BY",
        ),
        ("This article is an open access article distributed under the Creative Commons Attribution License", "CC-BY"),
        ("This is an open access article under the CC BY-NC license.", "CC-BY-NC"),
        (
            "Text.\nThis work is licensed under CC BY-SA 4.0.\nThis text is available under CC BY-SA 4.0.",
            "CC-BY-SA-4.0",
        ),
        ("**License:** CC BY 4.0", "CC-BY-4.0"),
        ("© 2020 Ada Lind, licensed under CC BY 4.0.", "CC-BY-4.0"),
        # Of something else, or of several.
        ("This paper presents a dataset licensed under CC BY-NC 4.0.", None),
        ("This work uses data published under CC BY 4.0.", None),
        ("License: MIT", None),
        ("This work is licensed under CC BY 4.0.\nThis text is available under CC BY-NC 4.0.", None),
    ],
)
def test_a_paragraph_states_the_license_of_its_document(paragraphs: str, name: str | None) -> None:
    assert stated_license(paragraphs.splitlines()) == name
