"""Which addresses may be fetched from: public ones; private and link-local ones if they are opened; credentials never."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from typing import Literal, Union

from typing_extensions import TypeAlias

Address: TypeAlias = Union[ipaddress.IPv4Address, ipaddress.IPv6Address]
AllowLocal: TypeAlias = Union[bool, Literal['link-local']]
"""What is open in addition to public addresses: nothing, private addresses, or link-local ones too."""

# Metadata services of clouds, and other services inside of their networks, which hold credentials. They are closed
# whatever is allowed, also where they are embedded in an IPv6 address.
CREDENTIAL_ADDRESSES = frozenset(
    ipaddress.ip_address(address)
    for address in (
        '169.254.169.254',  # AWS, Azure, Google, and most others
        '169.254.170.2',  # AWS: containers
        '169.254.170.23',  # AWS: pods
        '169.254.0.23',  # Tencent
        '169.254.42.42',  # Scaleway
        '100.100.100.200',  # Alibaba
        '168.63.129.16',  # Azure: the host of a machine
        '192.0.0.192',  # Oracle
        'fe80::a9fe:a9fe',  # OpenStack
        'fd00:ec2::254',  # AWS
        'fd00:ec2::23',  # AWS: pods
        'fd20:ce::254',  # Google
        'fd00:c1::a9fe:a9fe',  # Oracle
        'fd00:42::42',  # Scaleway
    )
)
_LINK_LOCAL = tuple(map(ipaddress.ip_network, ('169.254.0.0/16', 'fe80::/10')))
_NAT64 = ipaddress.IPv6Network('64:ff9b::/96')
# Outside of these, no IPv6 address is public; the second translates to IPv4, and is as public as what it translates to.
_PUBLIC_IPV6 = (ipaddress.IPv6Network('2000::/3'), _NAT64)
# Inside of public ranges, but not public; not all supported versions of Python know these.
_NOT_PUBLIC = tuple(
    map(
        ipaddress.ip_network,
        ('0.0.0.0/8', '100.64.0.0/10', '192.0.0.0/24', '192.88.99.0/24', '198.18.0.0/15', '240.0.0.0/4')
        + ('2001::/23', '2001:db8::/32', '3fff::/20'),
    )
)
_TRANSLATED = 0xFFFF_0000  # ::ffff:0:a.b.c.d: what stands before the IPv4 address
_ISATAP = frozenset({0x0000_5EFE, 0x0200_5EFE})  # what stands before it in the second half of an address


def refusal(address: Address, allow_local: AllowLocal = False) -> str | None:
    """Return why an address must not be reached, as the end of a sentence; `None` if it may.

    Args:
        address: The address.
        allow_local: What is open in addition to public addresses.
    """
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    address = mapped or address  # systems connect to the IPv4 address
    embedded = list(embedded_addresses(address))
    if not CREDENTIAL_ADDRESSES.isdisjoint({address, *embedded, *_translated_anywhere(address)}):
        return 'where clouds keep credentials. It is never fetched'
    for candidate in (address, *embedded):
        if _is_among(candidate, _LINK_LOCAL):
            if allow_local != 'link-local':
                return 'which is a link-local address'
        elif not allow_local and not _is_public(candidate):
            return 'which is not a public address'
    return None


def _is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address) and not _is_among(address, _PUBLIC_IPV6):
        return False
    return address.is_global and not address.is_multicast and not _is_among(address, _NOT_PUBLIC)


def _is_among(address: Address, networks: tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]) -> bool:
    return any(address in network for network in networks)


def embedded_addresses(address: Address) -> Iterator[ipaddress.IPv4Address]:
    """Yield the IPv4 addresses that an IPv6 address stands for, or that packets to it are sent to."""
    if not isinstance(address, ipaddress.IPv6Address):
        return
    number = int(address)
    last = ipaddress.IPv4Address(number & 0xFFFF_FFFF)
    if address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    # IPv4-compatible (::a.b.c.d), IPv4-translated and NAT64 addresses end with it.
    if (number >> 32 in (0, _TRANSLATED) and number > 1) or address in _NAT64:
        yield last
    if (number >> 32) & 0xFFFF_FFFF in _ISATAP:
        yield last


def _translated_anywhere(address: Address) -> Iterator[ipaddress.IPv4Address]:
    """Yield the IPv4 addresses in an IPv6 address if the prefix of a NAT64 of someone's own is before them (RFC 6052)."""
    if isinstance(address, ipaddress.IPv6Address):
        number = int(address)
        yield ipaddress.IPv4Address(number & 0xFFFF_FFFF)
        without = (number >> 64 << 56) | (number & (1 << 56) - 1)  # the bits from 64 to 71 are not part of it
        for length in (32, 40, 48, 56, 64):
            yield ipaddress.IPv4Address(without >> (88 - length) & 0xFFFF_FFFF)
