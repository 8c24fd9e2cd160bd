"""The curated names of threat intelligence: groups, malware, tools, campaigns and named vulnerabilities.

The tables are text files of lines `canonical name: other name; other name` under `[type]`, so that a change reads as a
list of names.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

FILES = ("groups", "software", "campaigns", "vulnerabilities")

SURNAMES = frozenset(
    """bear panda kitten spider chollima buffalo jackal crane leopard tiger lynx wolf saiga ocelot hawk sphinx typhoon
    blizzard sandstorm tempest sleet hail rain dust cyclone squall tsunami flood
    operation""".split()
)
"""Words by which vendors name groups and campaigns: a capitalised word beside one of them makes a name."""

EVERYDAY = frozenset(
    " ".join(
        """PowerShell; Nmap; masscan; Netcat; Socat; cURL; PuTTY; WinSCP; FileZilla; TeamViewer; AnyDesk; Splashtop;
        RustDesk; Tor; WinRAR; 7-Zip; ngrok; Cloudflared; Shodan; Censys; Sysinternals; Burp Suite; UPX; Rclone;
        Hashcat; Nuclei; WMIC; Netsh; netstat; ipconfig; Action1; ScreenConnect; SoftEther VPN; GOST proxy; Ping;
        Level RMM; Syncro; SQLmap; Gobuster; ffuf; WPScan; Rundll32; Certutil; Wevtutil; Dharma ransomware; Process
        Hacker; Donut; TruffleHog; Winexe; VMProtect; Themida; XMRig; Aircrack-ng; John the Ripper; MEGAsync; W3LL
        Panel; GMER""".split()
    ).split("; ")
)
"""Tools that people who attack nobody write of too: they count as attackers' only where attacks are the subject."""


@cache
def aliases() -> Mapping[str, Mapping[str, tuple[str, ...]]]:
    """Return canonical names by type, and their other names."""
    found: dict[str, dict[str, tuple[str, ...]]] = {}
    for name in FILES:
        text = (files("engrain.graph.domains.cti") / f"{name}.txt").read_text(encoding="utf-8")
        table: dict[str, tuple[str, ...]] = {}
        for line in text.splitlines():
            if line.startswith("["):
                table = found.setdefault(line.strip("[] "), {})
            elif line and not line.startswith("#"):
                canonical, _, others = line.partition(": ")
                names = (other.strip() for other in others.split(";"))
                table[canonical.strip().rstrip(":")] = tuple(each for each in names if each)
    return found
