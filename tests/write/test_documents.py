"""Documents become passages: PDF with pages, Word and HTML with headings, subtitles with speakers and times."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from engrain import Ingested, MemoryManager
from engrain.formats.registry import read_items


def pdf(*pages: str) -> bytes:
    """Return a PDF with a line of text on each page, none on a page without a text."""
    kids = " ".join(f"{3 + 2 * at} 0 R" for at in range(len(pages)))
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>"]
    font = "<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    for at, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET" if text else ""
        contents = f"{4 + 2 * at} 0 R"
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources {font} /Contents {contents} >>"
        objects += [page, f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream"]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    head = f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{table}"
    return out + f"{head}trailer\n<< /Size {len(places) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n".encode()


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"


def docx(path: Path, *paragraphs: tuple[str, str]) -> Path:
    """Write a document of Word; each paragraph has the id of a style and a text."""
    body = "".join(
        f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'
        for style, text in paragraphs
    )
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/></w:style>' for n in (1, 2)
    )
    types = f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="xml" ContentType="application/xml"/></Types>'
    link = f'<Relationship Id="1" Type="{OFFICE}" Target="word/document.xml"/>'
    links = f'<Relationships xmlns="{PACKAGE}/relationships">{link}</Relationships>'
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", types)
        archive.writestr("_rels/.rels", links)
        archive.writestr("word/document.xml", f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>')
        archive.writestr("word/styles.xml", f'<w:styles xmlns:w="{WORD}">{styles}</w:styles>')
    return path


PAGE = """<!DOCTYPE html><html><head><title>The harbour</title><script>track()</script></head><body>
<nav>Home | Imprint</nav><main><h1>Harbour</h1><p>The office opens at <b>eight</b>.</p><img src="x.png">
<h2>Fees</h2><ul><li>Berth: 40 euros</li><li>Crane: 90 euros</li></ul></main><footer>Imprint</footer></body></html>"""
VTT = """WEBVTT

00:00:01.000 --> 00:00:04.000
<v Ana>The launch moves to June.

00:00:04.000 --> 00:00:06.000
<v Ana>Marketing knows.

00:00:07.000 --> 00:00:09.000
<v Bo>Then I book the hall.
"""
SRT = (
    "1\n00:00:01,000 --> 00:00:04,000\nThe launch moves to June.\n\n2\n00:00:05,000 --> 00:00:06,000\nBook the hall.\n"
)


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_a_pdf_is_read_page_by_page(memory: MemoryManager, tmp_path: Path) -> None:
    file = write(tmp_path / "berth.pdf", pdf("The berth costs 40 euros.", "", "It is paid in March."))
    assert memory.ingest(file) == Ingested(1, 2, 0, {}, {"pages without text": 1}, {str(file): "1 page without text"})
    found = {each.content: each.metadata["page"] for each in memory.iter_memories()}
    assert found == {"The berth costs 40 euros.": 1, "It is paid in March.": 3}
    assert {each.source.type for each in memory.iter_memories()} == {"external_data"}
    assert memory.ingest(file).created == 0


def test_a_document_of_word_keeps_its_headings(memory: MemoryManager, tmp_path: Path) -> None:
    file = docx(
        tmp_path / "a.docx", ("Heading1", "Boat"), ("Normal", "Kittiwake."), ("Heading2", "Key"), ("Normal", "12.")
    )
    assert memory.ingest(file).created == 2
    assert [(each["content"], each["metadata"]["heading"]) for each in read_items(file)] == [
        ("# Boat\n\nKittiwake.", "Boat"),
        ("## Key\n\n12.", "Boat > Key"),
    ]


def test_a_page_is_read_without_its_navigation(memory: MemoryManager, tmp_path: Path) -> None:
    file = write(tmp_path / "harbour.html", PAGE)
    result = memory.ingest(file)
    assert (result.created, result.left_out) == (2, {"images": 1, "navigation": 2})
    first, second = read_items(file)
    assert (first["content"], first["metadata"]["title"]) == (
        "# Harbour\n\nThe office opens at **eight**.",
        "The harbour",
    )
    assert "Crane: 90 euros" in second["content"]
    assert second["source_type"] == "external_data"


def test_subtitles_are_speeches_with_their_speaker_and_time(memory: MemoryManager, tmp_path: Path) -> None:
    file = write(tmp_path / "meeting.vtt", VTT)
    assert memory.ingest(file).created == 2
    assert memory.ingest(file).created == 0
    assert [(each["actor"], each["metadata"]["start"], each["content"]) for each in read_items(file)] == [
        ("Ana", "00:00:01.000", "The launch moves to June. Marketing knows."),
        ("Bo", "00:00:07.000", "Then I book the hall."),
    ]
    (plain,) = read_items(write(tmp_path / "meeting.srt", SRT))
    assert plain["content"] == "The launch moves to June. Book the hall."
    assert "actor" not in plain


@pytest.mark.parametrize(
    ("name", "raw", "why"),
    [
        ("scan.pdf", pdf("", ""), "has no text: the text of scanned pages has to be recognised first"),
        ("torn.pdf", b"%PDF-1.4\n1 0 obj\n<< /Type", "cannot be read as PDF"),
        ("torn.docx", b"PK\x03\x04 torn", "an archive of a kind that is not known, which is not read"),
        ("torn.srt", b"1\nno times\n", "cannot be read as subtitles"),
    ],
)
def test_a_damaged_document_is_reported(memory: MemoryManager, tmp_path: Path, name: str, raw: bytes, why: str) -> None:
    file = write(tmp_path / name, raw)
    result = memory.ingest(file)
    assert (result.files, result.created) == (0, 0)
    assert why in result.failed[str(file)]


def test_a_document_is_taken_apart_into_facts(memory: MemoryManager, tmp_path: Path) -> None:
    file = write(tmp_path / "harbour.html", "<html><body><p>Ana Ruiz lives in Boston.</p></body></html>")
    memory.ingest(file, report=True)
    assert memory.facts(subject="Ana Ruiz")
