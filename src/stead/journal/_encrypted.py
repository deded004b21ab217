"""`EncryptedStore`: encrypts the data of records before another store keeps it.

A body is sealed with AES-256-GCM under a key of its run, which is derived from the key that was passed; so the random nonces
of one run do not use up those of another. What belongs to the body without being part of it (run, number and kind) is sealed
with it: a record that is altered, or moved to another place, is not accepted.

An encrypted body is a byte `0x01`, 8 bytes that name the key, a nonce of 12 bytes, and what AES-GCM returns.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from os import PathLike
from typing import Any, cast

from .._kit.extras import load_extra, require_extra
from ..budgets.account import AccountChange, AccountState, BudgetStore
from ..exceptions import UserError
from ._errors import RecordUnreadable, StoreError, WrongKey
from ._places import as_store
from ._store import ENCRYPTED, Entry, Record, RunFilter, RunInfo, Store

_EXTRA = {'extra': 'encryption', 'what': 'A store that is encrypted'}
_NAME, _NONCE = 8, 12
"""How many bytes name the key, and how many are the nonce."""
_SEALED = 'sealed:'
"""How the key of a run begins that is encrypted."""
_RUN_KEYS = '/keys of runs'
"""Stands for the id of a run, of which none has a `/`, where its own key is encrypted."""


class AlteredRecord(RecordUnreadable, StoreError):
    """A record is not one that was sealed here: it is not encrypted, or was altered. It hides no other run."""


class EncryptedStore(Store):
    """Keeps records in another store, with their data encrypted.

    Encrypted are prompts, messages, arguments, results, outputs and errors: all that the body of a record has. What a store
    needs to find and order runs stays readable: the fields of `RunInfo` (ids, names of agents, keys of runs, states, times,
    leases), the kinds, numbers and times of records, and their sizes. Keys of runs inside of others are encrypted, too: they have
    digests, which could be compared with those of guessed prompts and arguments.
    """

    def __init__(
        self, store: Store | str | PathLike[str], key: bytes | str, *old_keys: bytes | str, read_plain: bool = False
    ) -> None:
        """Encrypt what a store keeps.

        Args:
            store: The store, the path of an SQLite file, or the URL of a PostgreSQL database.
            key: What new records are encrypted with: 32 random bytes, or their base64 form. `new_key` makes one.
            old_keys: Keys that records may have been encrypted with before.
            read_plain: Whether records may be read that are not encrypted, because they are older than the encryption.
                While they may, records that someone else wrote into the store are accepted, too.

        Raises:
            UserError: A key is not valid.
            ImportError: The package `cryptography` is not installed.
        """
        require_extra('cryptography', **_EXTRA)
        keys = [_key(item) for item in (key, *old_keys)]
        self.store: Store = as_store(store)
        self.read_plain: bool = read_plain
        self._keys: dict[bytes, bytes] = {_name(item): item for item in keys}
        self._newest: bytes = _name(keys[0])

    @staticmethod
    def new_key() -> str:
        """Return a new key, as text."""
        return base64.urlsafe_b64encode(os.urandom(32)).decode()

    def __repr__(self) -> str:
        return f'EncryptedStore({self.store!r})'

    def open(self) -> None:
        self.store.open()

    def close(self) -> None:
        self.store.close()

    def kept_by(self) -> Store:
        return self.store.kept_by()

    def address(self) -> object:
        return self.store.address(), self._newest

    def create(self, run: RunInfo, records: Sequence[Record] = ()) -> RunInfo:
        if (key := run.key) is not None:
            if run.parent_id is not None:
                run = replace(run, key=_sealed_key(key, self._newest, self._keys[self._newest]))
            # The other store does not see that a key is the same that is encrypted, encrypted with an older key, or is not.
            for form in (key, *self._sealed_forms(key)):
                if form != run.key and (known := self.store.find(RunFilter(key=form, limit=1))):
                    return self._with_own_key(known[0])
        return self._with_own_key(self.store.create(run, self._sealed(run.run_id, records)))

    def append(self, entries: Sequence[Entry], *, durable: bool) -> set[str]:
        sealed = [entry._replace(records=self._sealed(entry.run_id, entry.records)) for entry in entries]
        return self.store.append(sealed, durable=durable)

    def read(self, run_id: str, after: int = 0, limit: int | None = None) -> list[Record]:
        return [self._opened(run_id, record) for record in self.store.read(run_id, after, limit)]

    def get(self, run_id: str) -> RunInfo | None:
        run = self.store.get(run_id)
        return run if run is None else self._with_own_key(run)

    def find(self, wanted: RunFilter) -> list[RunInfo]:
        found, key = self.store.find(wanted), wanted.key
        if not found and key is not None:  # that of a run inside of another; older versions left these as they were
            found = [run for one in self._sealed_forms(key) for run in self.store.find(wanted._replace(key=one))]
        return [self._with_own_key(run) for run in found]

    def acquire(self, run_id: str, holder: str, now: float, seconds: float) -> int | None:
        return self.store.acquire(run_id, holder, now, seconds)

    def renew(self, leases: Sequence[tuple[str, int]], until: float) -> set[str]:
        return self.store.renew(leases, until)

    def release(self, run_id: str, token: int) -> None:
        self.store.release(run_id, token)

    def delete(self, run_ids: Sequence[str]) -> int:
        return self.store.delete(run_ids)

    def delete_unused(self, trees: Sequence[Sequence[str]], now: float) -> int:
        return self.store.delete_unused(trees, now)

    def change_budget(self, name: str, change: AccountChange) -> AccountState:
        """Change a budget that the other store keeps; its name and its numbers are not encrypted.

        Raises:
            UserError: The other store keeps no budgets.
        """
        if not hasattr(self.store, 'change_budget'):
            raise UserError(f'{self.store!r} keeps no budgets: use an `SqliteStore` or a `PostgresStore`.')
        return cast(BudgetStore, self.store).change_budget(name, change)

    def _sealed_forms(self, key: str) -> Iterator[str]:
        return (_sealed_key(key, name, item) for name, item in self._keys.items())

    def _with_own_key(self, run: RunInfo) -> RunInfo:
        """Return a run with the key that it was created with."""
        if run.key is None or not run.key.startswith(_SEALED):
            return run
        name, _, sealed = run.key.removeprefix(_SEALED).partition('.')
        try:
            raw, key = bytes.fromhex(sealed), self._keys[bytes.fromhex(name)]
            text = _cipher(key, _RUN_KEYS).decrypt(raw[:_NONCE], raw[_NONCE:], None)
        except (ValueError, KeyError, _exceptions().InvalidTag):
            return run  # it was encrypted with another key, as its records are
        return replace(run, key=text.decode('utf-8', 'surrogatepass'))

    def _sealed(self, run_id: str, records: Sequence[Record]) -> list[Record]:
        cipher = _cipher(self._keys[self._newest], run_id)
        sealed: list[Record] = []
        for record in records:
            nonce = os.urandom(_NONCE)
            body = cipher.encrypt(nonce, record.body, _place(record))
            sealed.append(record._replace(body=b''.join((ENCRYPTED, self._newest, nonce, body))))
        return sealed

    def _opened(self, run_id: str, record: Record) -> Record:
        """Return a record as it was before it was sealed.

        Raises:
            WrongKey: It was encrypted with another key.
            AlteredRecord: It is not encrypted, or was altered.
        """
        where = f'Record {record.seq} of run {run_id!r}'
        if record.body[:1] != ENCRYPTED:
            if self.read_plain:
                return record
            raise AlteredRecord(
                f'{where} is not encrypted. If the store is older than its encryption, pass '
                '`EncryptedStore(..., read_plain=True)`.'
            )
        name = record.body[1 : 1 + _NAME]
        nonce, body = record.body[1 + _NAME : 1 + _NAME + _NONCE], record.body[1 + _NAME + _NONCE :]
        if (key := self._keys.get(name)) is None:
            known = ', '.join(sorted(item.hex() for item in self._keys))
            raise WrongKey(
                f'{where} is encrypted with the key {name.hex()}, and the keys that were passed are {known} (these are '
                'names of keys, made from them). Pass the key, too: `EncryptedStore(store, newest, older)`.'
            )
        try:
            return record._replace(body=_cipher(key, run_id).decrypt(nonce, body, _place(record)))
        except (ValueError, _exceptions().InvalidTag) as error:
            raise AlteredRecord(f'{where} was altered after it was written, or is damaged.') from error


def _key(key: bytes | str) -> bytes:
    try:
        raw = base64.b64decode(key.strip(), altchars=b'-_', validate=True) if isinstance(key, str) else key
    except ValueError:
        raw = b''
    if not isinstance(raw, bytes) or len(raw) != 32:
        raise UserError(
            'A key of an `EncryptedStore` is 32 random bytes, or their base64 form: `EncryptedStore.new_key()` makes one.'
        )
    return raw


def _name(key: bytes) -> bytes:
    """Return what tells keys apart, and says nothing about the key."""
    return hmac.new(key, b'stead journal: name of the key', hashlib.sha256).digest()[:_NAME]


def _sealed_key(run_key: str, name: bytes, key: bytes) -> str:
    """Return the key of a run, encrypted so that the same one is always the same, since runs are found by it."""
    text = run_key.encode('utf-8', 'surrogatepass')
    nonce = hmac.new(key, b'stead journal: nonce of a key of a run ' + text, hashlib.sha256).digest()[:_NONCE]
    return f'{_SEALED}{name.hex()}.{(nonce + _cipher(key, _RUN_KEYS).encrypt(nonce, text, None)).hex()}'


def _place(record: Record) -> bytes:
    return f'{record.seq} {record.kind}'.encode()


@lru_cache(maxsize=1024)
def _cipher(key: bytes, run_id: str) -> Any:
    """Return the cipher of a run."""
    derived = hmac.new(key, b'stead journal: key of the run ' + run_id.encode('utf-8', 'surrogatepass'), hashlib.sha256)
    return load_extra('cryptography.hazmat.primitives.ciphers.aead', **_EXTRA).AESGCM(derived.digest())


def _exceptions() -> Any:
    return load_extra('cryptography.exceptions', **_EXTRA)
