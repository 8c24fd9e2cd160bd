from __future__ import annotations

import pytest

from tests.graph.reading import named

SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
SHA1 = "da39a3ee5e6b4b0d3255bfef95601890afd80709"
MD5 = "d41d8cd98f00b204e9800998ecf8427e"
TYPES = "cve technique ipv4 ipv6 domain url md5 sha1 sha256 email"

# A line, and all the indicators that stand in it.
FOUND = {
    "CVE-2024-3094 is critical.": "cve CVE-2024-3094",
    "See cve-2023-12345, too.": "cve CVE-2023-12345",
    "(CVE-2021-44228)": "cve CVE-2021-44228",
    "tags: cve.2021-44228": "cve CVE-2021-44228",
    "They used T1059.001 first.": "technique T1059.001",
    "attack.t1059.001": "technique T1059.001",
    "Phishing (T1566) came first": "technique T1566",
    "C2 traffic to 192.168.1.1 was seen.": "ipv4 192.168.1.1",
    "to 10.0.0.254:8080": "ipv4 10.0.0.254",
    "to 8.8.8[.]8 and on": "ipv4 8.8.8.8",
    "to 8[.]8[.]4[.]4.": "ipv4 8.8.4.4",
    "to 1(.)2(.)3(.)4": "ipv4 1.2.3.4",
    "to 2001:db8::1 today": "ipv6 2001:db8::1",
    "to FE80::0202:B3FF:FE1E:8329": "ipv6 fe80::202:b3ff:fe1e:8329",
    "Malware beaconed to evil.example.com": "domain evil.example.com",
    "and c2.badactor.net.": "domain c2.badactor.net",
    "to evil[.]com": "domain evil.com",
    "to evil[dot]com": "domain evil.com",
    "to evil(dot)com": "domain evil.com",
    "to evil{.}ru": "domain evil.ru",
    "to evil [dot] com": "domain evil.com",
    "to cdn-update.xyz": "domain cdn-update.xyz",
    "to a1b2c3.onion": "domain a1b2c3.onion",
    "to xn--pple-43d.com": "domain xn--pple-43d.com",
    "to payload[.]zip": "domain payload.zip",
    "login.microsoft-verify.co.uk": "domain login.microsoft-verify.co.uk",
    "https://evil.com/payload.exe": "url https://evil.com/payload.exe",
    "hxxp://evil.com/a": "url http://evil.com/a",
    "hxxps://evil[.]com/a?b=c": "url https://evil.com/a?b=c",
    "hxxps[:]//evil[.]com/a": "url https://evil.com/a",
    "hxxp[://]evil[.]com/a": "url http://evil.com/a",
    "[site](http://evil.com/a)": "url http://evil.com/a",
    "http://evil.com/a(b)c, then": "url http://evil.com/a(b)c",
    "ftp://10.1.2.3/x.bin": "url ftp://10.1.2.3/x.bin",
    "from attacker@evil.org": "email attacker@evil.org",
    "from attacker[@]evil[.]org": "email attacker@evil.org",
    "from attacker[at]evil[.]org": "email attacker@evil.org",
    "from first.last+tag@sub.evil.co.uk.": "email first.last+tag@sub.evil.co.uk",
    f"MD5 {MD5}": f"md5 {MD5}",
    f"SHA1: {SHA1}": f"sha1 {SHA1}",
    f"sha256={SHA256}": f"sha256 {SHA256}",
    f"hash {SHA256.upper()}": f"sha256 {SHA256}",
    f"| {MD5} | loader |": f"md5 {MD5}",
}

TRAPS = [
    "Ignore 999.999.999.999.",
    "Ignore 256.1.1.1 and 1.2.3",
    "version 1.2.3.4 is out",
    "upgraded to 10.4.2.1 yesterday",
    "v2.0.0.1",
    "nginx==1.2.3.4",
    "01.02.03.004",
    "The meeting is at 12:30:45.",
    "MAC 00:1a:2b:3c:4d:5e",
    "std::vector and abc::def",
    "a ratio of 3:2:1",
    "information is never a domain",
    "the file report.pdf",
    "payload.exe and setup.py",
    "node.js, e.g. express.js",
    "i.e. at 5 p.m. in the U.S.",
    "import os.path",
    "numpy.linalg.norm",
    "self.name and this.id",
    "logging.info(message)",
    "ASP.NET and VB.NET",
    "System.Net.Http",
    "readme.md, main.rs and run.sh",
    "It was great.It was fun.",
    "I am done.so are you",
    "look at me.at once",
    "archive.zip",
    "1.5 million, 2.5 times",
    "$3.50 and 10.000,00",
    "CVE-20-1 and CVE-2024-12",
    "CVE-CVE-CVE-",
    "the T1000 from the film",
    "a T9999 or T12345",
    "my T1 line",
    "user@localhost",
    "@alice and @bob",
    "a@b",
    "http://",
    "https:// and nothing",
    "the e-mail was sent",
    f"{MD5}{MD5[:5]}",
    MD5[:31],
    "0" * 32,
    "f" * 40,
    "550e8400-e29b-41d4-a716-446655440000",
    "deadbeef cafebabe",
]


@pytest.mark.parametrize(("text", "expected"), FOUND.items())
def test_each_is_read_as_machines_write_it(text: str, expected: str) -> None:
    found = {" ".join(each) for each in named(text, types=TYPES)}
    if expected.startswith("url "):  # and its host
        assert {each for each in found if not each.startswith(("domain ", "ipv4 "))} == {expected}
        assert len(found) == 2
    else:
        assert found == {expected}


@pytest.mark.parametrize("text", TRAPS)
def test_what_looks_alike_is_none(text: str) -> None:
    assert named(text, types=TYPES) == set()


def test_the_parts_of_an_address_are_no_further_indicators() -> None:
    text = "Mail from attacker@evil.org to victim@corp.com, see https://evil.com/payload.exe"
    assert sorted(kind for kind, _ in named(text)) == ["domain", "email", "email", "url"]


@pytest.mark.parametrize(
    ("text", "expected"),
    {
        "See https://git.nordwind.example/repo": "domain git.nordwind.example",
        "See hxxp://evil[.]example:8080/x?a=b": "domain evil.example",
        "See https://ana@cdn.corp.lan?q": "domain cdn.corp.lan",
        "See http://10.0.0.4:8080/a": "ipv4 10.0.0.4",
        "Write to git@nordwind.internal": "email git@nordwind.internal",
        "Write to ana@corp.lan.": "email ana@corp.lan",
        "Write to ana[at]corp[.]example": "email ana@corp.example",
        "Write to ana (at) corp (dot) lan": "email ana@corp.lan",
    }.items(),
)
def test_hosts_of_urls_and_private_addresses_are_found(text: str, expected: str) -> None:
    assert expected in {" ".join(each) for each in named(text)}


@pytest.mark.parametrize(
    "text", ["The icon is a@2x.png", "react@18.2.0", "See http://intranet/x", "noon (at the corp. office)"]
)
def test_an_address_that_is_invalid_or_lacks_a_host_is_none(text: str) -> None:
    assert not {kind for kind, _ in named(text)} & {"email", "domain", "ipv4"}
