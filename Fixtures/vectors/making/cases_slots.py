"""Vectors of the section "Slots": every kind, their checks, their bounds and their costs."""

import hashlib
import struct

from .building import KEYS, KEY_FILE, SLOT, made
from .cases_header import with_head
from .headers import (
    ARGON2ID,
    PBKDF2,
    SCRYPT,
    costly_slot,
    header,
    identity_text,
    key_file_slot,
    passphrase_slot,
    public_of,
    recipient_slot,
    recovery_slot,
    recovery_text,
    slot,
    unknown_slot,
)
from .primitives import Keys, label, mac
from .vector import vector

EVERYONE = made(("alice",))
CHEAP = (ARGON2ID, 8, 1, 1)
PASSPHRASE = b"correct horse battery staple"
MIXED = bytes(range(60, 100))
IDENTITY = hashlib.sha256(b"identity of the vectors").digest()
STRANGER = hashlib.sha256(b"identity of a stranger").digest()
CODE = hashlib.sha256(b"recovery code of the vectors").digest()[:16]


def secret(passphrase):
    return ["passphrase-hex: " + passphrase.hex()]


def case(name, section, why, slots, status, credentials=None, verify=None, size=4096, **more):
    vector(
        "slot_" + name,
        section,
        why,
        with_head(header(KEYS, slots, size=size) * 2),
        status,
        verify=status if verify is None else verify,
        items=EVERYONE if status == 0 else (),
        credentials=credentials,
        **more,
    )


def passphrases():
    section = "Derivation"
    for name, kdf in [
        ("argon2id", CHEAP),
        ("argon2id_2_passes", (ARGON2ID, 64, 2, 1)),
        ("argon2id_2_lanes", (ARGON2ID, 16, 1, 2)),
        ("argon2id_16_lanes", (ARGON2ID, 128, 1, 16)),
        ("argon2id_64_passes", (ARGON2ID, 8, 64, 1)),
        ("argon2id_odd_memory", (ARGON2ID, 13, 1, 1)),
        ("scrypt", (SCRYPT, 1, 1, 1)),
        ("scrypt_wide", (SCRYPT, 4, 32, 16)),
        ("scrypt_n_15_r_1", (SCRYPT, 15, 1, 1)),
        ("pbkdf2_1", (PBKDF2, 1, 0, 0)),
        ("pbkdf2_1000", (PBKDF2, 1000, 0, 0)),
    ]:
        why = "Below what writers choose, within the bounds of the format."
        made_slot = passphrase_slot(KEYS, 1, PASSPHRASE, kdf)
        case("passphrase_" + name, section, why, [made_slot], 0, secret(PASSPHRASE), structure=0)
    plain = passphrase_slot(KEYS, 1, PASSPHRASE, CHEAP)
    wrong = secret(PASSPHRASE + b" ")
    case("passphrase_wrong", section, "A space too many.", [plain], 12, wrong)
    composed, decomposed = "Größe ﬁ 가".encode(), "Gro\u0308ße ﬁ \u1100\u1161".encode()
    nfc = [passphrase_slot(KEYS, 1, composed, CHEAP)]
    raw = [passphrase_slot(KEYS, 1, decomposed, CHEAP, nfc=False)]
    section = "Passphrases and key files"
    case("nfc_decomposed", section, "Normalised to NFC.", nfc, 0, secret(decomposed))
    case(
        "nfc_composed", section, "NFC already; no compatibility mapping.", nfc, 0, secret(composed)
    )
    case("raw_decomposed", section, "Taken as given without flag 1.", raw, 0, secret(decomposed))
    case("raw_composed", section, "Not normalised without flag 1.", raw, 12, secret(composed))
    odd = b"\xff\xfe passphrase \x00"
    case(
        "raw_not_utf8",
        section,
        "Bytes, not text.",
        [passphrase_slot(KEYS, 1, odd, CHEAP, nfc=False)],
        0,
        secret(odd),
    )
    case("nfc_not_utf8", section, "No UTF-8 does not fit a slot with flag 1.", nfc, 12, secret(odd))
    long = b"p" * 5000
    case(
        "passphrase_long",
        section,
        "5,000 bytes.",
        [passphrase_slot(KEYS, 1, long, CHEAP)],
        0,
        secret(long),
    )


def mixed():
    section = "Derivation"
    slots = [passphrase_slot(KEYS, 1, PASSPHRASE, CHEAP, mixed=MIXED)]
    with_file = secret(PASSPHRASE) + ["with-key-file: " + MIXED.hex()]
    case("mixed", section, "Passphrase and key file together.", slots, 0, with_file)
    why = "A slot with a key file mixed in is not tried without one."
    case("mixed_without_file", section, why, slots, 12, secret(PASSPHRASE))
    other = secret(PASSPHRASE) + ["with-key-file: " + KEY_FILE.hex()]
    case("mixed_with_other_file", section, "Another key file.", slots, 12, other)
    why = "Key file alone is another kind of slot."
    case("mixed_file_alone", section, why, slots, 12, ["key-file: " + MIXED.hex()])
    plain = [passphrase_slot(KEYS, 1, PASSPHRASE, CHEAP)]
    why = "A key file for mixing does not keep a plain slot from opening."
    case("plain_with_file_given", section, why, plain, 0, with_file)


def key_files():
    section = "Derivation"
    ours = ["key-file: " + KEY_FILE.hex()]
    case(
        "key_file", section, "A key file.", [key_file_slot(KEYS, 1, KEY_FILE)], 0, ours, structure=0
    )
    least, most = bytes(32), hashlib.sha256(b"large").digest() * 200
    for name, content in (("of_32_bytes", least), ("of_6400_bytes", most)):
        slots = [key_file_slot(KEYS, 1, content)]
        case(
            "key_file_" + name,
            section,
            "All of it counts.",
            slots,
            0,
            ["key-file: " + content.hex()],
        )
    longer = ["key-file: " + KEY_FILE.hex() + "0a"]
    case("key_file_longer", section, "A byte too many.", [SLOT], 12, longer)
    both = ["key-file: " + bytes(40).hex()] + ours
    case("key_file_second_given", section, "Any credential given may fit.", [SLOT], 0, both)
    several = [
        passphrase_slot(KEYS, 1, PASSPHRASE, CHEAP),
        recipient_slot(KEYS, 2, public_of(IDENTITY)),
        recovery_slot(KEYS, 3, CODE),
        key_file_slot(KEYS, 4, KEY_FILE),
    ]
    case(
        "each_kind_by_key_file", "Layout", "All kinds in one header.", several, 0, ours, structure=0
    )
    case(
        "each_kind_by_passphrase",
        "Layout",
        "All kinds in one header.",
        several,
        0,
        secret(PASSPHRASE),
    )
    identity = ["identity: " + identity_text(IDENTITY)]
    case("each_kind_by_identity", "Layout", "All kinds in one header.", several, 0, identity)
    code = ["recovery-code: " + recovery_text(CODE)]
    case("each_kind_by_code", "Layout", "All kinds in one header.", several, 0, code)


def recipients():
    section = "Recipients"
    slots = [recipient_slot(KEYS, 1, public_of(IDENTITY))]
    ours, theirs = ["identity: " + identity_text(IDENTITY)], [
        "identity: " + identity_text(STRANGER)
    ]
    case(
        "recipient",
        section,
        "An identity opens a slot for its recipient.",
        slots,
        0,
        ours,
        structure=0,
    )
    case("recipient_wrong", section, "The identity of somebody else.", slots, 12, theirs)
    case("recipient_second_identity", section, "Each identity is tried.", slots, 0, theirs + ours)
    two = [
        recipient_slot(KEYS, 1, public_of(STRANGER)),
        recipient_slot(KEYS, 2, public_of(IDENTITY)),
    ]
    case("recipient_second_slot", section, "Each slot is tried.", two, 0, ours)
    low_order = slot(KEYS, 2, 1, bytes(32), salt=bytes(32), extract=bytes(32) + public_of(IDENTITY))
    why = (
        "The ephemeral key gives an all-zero result: the slot does not open, though its "
        "commitment would hold."
    )
    case("recipient_all_zero", "Derivation", why, [low_order], 12, ours)
    one = b"\1" + bytes(31)
    low_order = slot(KEYS, 2, 1, bytes(32), salt=one, extract=one + public_of(IDENTITY))
    case("recipient_low_order", "Derivation", why, [low_order], 12, ours)


def recovery_codes():
    section = "Recovery codes"
    slots, text = [recovery_slot(KEYS, 1, CODE)], recovery_text(CODE)
    case("code", section, "A recovery code.", slots, 0, ["recovery-code: " + text], structure=0)
    loose = text.lower().replace("-", " ").replace("1", "l").replace("0", "o")
    case(
        "code_lower_case",
        section,
        "l for 1, o for 0, spaces.",
        slots,
        0,
        ["recovery-code: " + loose],
    )
    loose = text.replace("-", "").replace("1", "I")
    case("code_without_hyphens", section, "I for 1.", slots, 0, ["recovery-code: " + loose])
    other = ["recovery-code: " + recovery_text(bytes(16))]
    case("code_wrong", section, "Another code, rightly typed.", slots, 12, other)


def structure():
    section = "Layout"

    def patched(offset, value, base=SLOT):
        return base[:offset] + value + base[offset + len(value) :]

    word = struct.Struct("<I").pack
    passphrase = passphrase_slot(KEYS, 2, PASSPHRASE, CHEAP)
    pbkdf2 = passphrase_slot(KEYS, 2, PASSPHRASE, (PBKDF2, 1, 0, 0))
    for name, why, slots, status in [
        ("none", "A header has at least one slot.", [], 14),
        ("kind_0", "Kind 0.", [SLOT, patched(0, b"\0", passphrase)], 14),
        ("key_file_flag_0", "No flags of kind 4.", [patched(1, b"\1")], 14),
        ("key_file_flag_7", "No flags of kind 4.", [patched(1, b"\x80")], 14),
        ("passphrase_flag_2", "An unknown flag.", [SLOT, patched(1, b"\6", passphrase)], 14),
        ("passphrase_flag_7", "An unknown flag.", [SLOT, patched(1, b"\x82", passphrase)], 14),
        (
            "recipient_flag_1",
            "No flags of kind 2.",
            [SLOT, patched(1, b"\2", recipient_slot(KEYS, 2, public_of(IDENTITY)))],
            14,
        ),
        (
            "code_flag_0",
            "No flags of kind 3.",
            [SLOT, patched(1, b"\1", recovery_slot(KEYS, 2, CODE))],
            14,
        ),
        ("length_0", "A length of 0.", [SLOT, patched(2, b"\0\0", passphrase)], 14),
        (
            "length_176",
            "Kinds 1 to 4 have 184 bytes.",
            [SLOT, patched(2, b"\xb0\0", passphrase)[:176]],
            14,
        ),
        (
            "length_192",
            "Kinds 1 to 4 have 184 bytes.",
            [SLOT, patched(2, b"\xc0\0", passphrase) + bytes(8)],
            14,
        ),
        ("id_0", "Ids begin at 1.", [patched(4, word(0))], 14),
        ("id_twice", "Ids are unique.", [SLOT, patched(4, word(1), passphrase)], 14),
        ("id_of_unknown_twice", "Ids are unique.", [SLOT, unknown_slot(9, 1)], 14),
        ("kdf_0", "No key derivation of a passphrase.", [SLOT, patched(8, b"\0", passphrase)], 15),
        ("kdf_4", "An unknown key derivation.", [SLOT, patched(8, b"\4", passphrase)], 15),
        ("kdf_255", "An unknown key derivation.", [SLOT, patched(8, b"\xff", passphrase)], 15),
        ("key_file_kdf", "No key derivation of kind 4.", [patched(8, b"\1")], 14),
        ("zero_9", "Reserved bytes are zero.", [patched(9, b"\1")], 14),
        ("zero_11", "Reserved bytes are zero.", [SLOT, patched(11, b"\1", passphrase)], 14),
        ("key_file_a", "No parameters of kind 4.", [patched(12, word(1))], 14),
        ("key_file_b", "No parameters of kind 4.", [patched(16, word(1))], 14),
        ("key_file_c", "No parameters of kind 4.", [patched(20, word(1))], 14),
        ("pbkdf2_b", "PBKDF2 has one parameter.", [SLOT, patched(16, word(1), pbkdf2)], 14),
        ("pbkdf2_c", "PBKDF2 has one parameter.", [SLOT, patched(20, word(1), pbkdf2)], 14),
        (
            "unknown_length_0",
            "Unknown kinds: at least 8.",
            [SLOT, struct.pack("<BBHI", 9, 0, 0, 2)],
            14,
        ),
        (
            "unknown_length_12",
            "Unknown kinds: a multiple of 8.",
            [SLOT, unknown_slot(9, 2, 12), unknown_slot(9, 3, 12)],
            14,
        ),
        (
            "unknown_length_1032",
            "Unknown kinds: at most 1,024.",
            [SLOT, unknown_slot(9, 2, 1032)],
            14,
        ),
        ("unknown_id_0", "Ids begin at 1.", [SLOT, unknown_slot(9, 0)], 14),
        ("cut_in_fields", "Four bytes are left for a slot.", [SLOT, b"\x09\0\x08\0"], 14),
    ]:
        case(name, section, why, slots, status, structure=status)
    for name, why, slots in [
        ("unknown_kind_5", "Unknown kinds are skipped.", [unknown_slot(5, 7, 184), SLOT]),
        ("unknown_kind_255", "Unknown kinds are skipped.", [SLOT, unknown_slot(255, 2)]),
        ("unknown_length_8", "Nothing but the four fields.", [unknown_slot(9, 2, 8), SLOT]),
        ("unknown_length_1024", "The longest slot.", [unknown_slot(9, 2, 1024), SLOT]),
        (
            "unknown_flags",
            "Flags of unknown kinds are theirs.",
            [unknown_slot(9, 2, 16, 255), SLOT],
        ),
        ("ids_not_in_order", "Ids need no order.", [key_file_slot(KEYS, 0xFFFFFFFF, MIXED), SLOT]),
        (
            "as_many_as_fit",
            "21 slots in 4,096 bytes.",
            [unknown_slot(9, n, 184) for n in range(2, 22)] + [SLOT],
        ),
    ]:
        case(name, section, why, slots, 0, structure=0)
    case(
        "unknown_only",
        section,
        "No slot that can be tried.",
        [unknown_slot(9, 1, 184)],
        12,
        structure=0,
    )
    many = [unknown_slot(9, n, 8) for n in range(2, 65)] + [SLOT]
    case("count_64", "Bounds", "64 slots.", many, 0, structure=0)
    more = many + [unknown_slot(9, 65, 8)]
    case("count_65", "Bounds", "65 slots.", more, 16, structure=16)


def bounds():
    section = "Bounds"
    for name, kdf, status in [
        ("argon2id_m_0", (1, 0, 1, 1), 16),
        ("argon2id_m_7", (1, 7, 1, 1), 16),
        ("argon2id_m_below_8p", (1, 31, 1, 4), 16),
        ("argon2id_m_above_4gib", (1, 4194305, 1, 1), 16),
        ("argon2id_m_largest", (1, 0xFFFFFFFF, 1, 1), 16),
        ("argon2id_t_0", (1, 64, 0, 1), 16),
        ("argon2id_t_65", (1, 64, 65, 1), 16),
        ("argon2id_p_0", (1, 64, 1, 0), 16),
        ("argon2id_p_17", (1, 1024, 1, 17), 16),
        ("argon2id_p_largest", (1, 1024, 1, 0xFFFFFFFF), 16),
        ("scrypt_n_0", (2, 0, 8, 1), 16),
        ("scrypt_n_25", (2, 25, 2, 1), 16),
        ("scrypt_n_64", (2, 64, 8, 1), 16),
        ("scrypt_r_0", (2, 10, 0, 1), 16),
        ("scrypt_r_33", (2, 10, 33, 1), 16),
        ("scrypt_p_0", (2, 10, 8, 0), 16),
        ("scrypt_p_17", (2, 10, 8, 17), 16),
        ("scrypt_n_16_r_1", (2, 16, 1, 1), 16),
        ("scrypt_above_4gib", (2, 24, 4, 1), 16),
        ("scrypt_largest", (2, 0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF), 16),
        ("pbkdf2_0", (3, 0, 0, 0), 16),
        ("pbkdf2_above", (3, 100000001, 0, 0), 16),
    ]:
        why = "Out of bounds, in a slot for which no credential is given: the copy is set aside."
        case(
            "bound_" + name,
            section,
            why,
            [SLOT, costly_slot(KEYS, 2, kdf)],
            status,
            structure=status,
        )
    for name, kdf in [
        ("argon2id_at_most", (1, 4194304, 64, 16)),
        ("scrypt_at_most", (2, 24, 2, 16)),
        ("scrypt_4gib", (2, 20, 32, 1)),
        ("pbkdf2_at_most", (3, 100000000, 0, 0)),
    ]:
        why = "Within the format's bounds; not tried without a passphrase, so no limit counts."
        case("bound_" + name, section, why, [costly_slot(KEYS, 2, kdf), SLOT], 0, structure=0)


def costs():
    section = "Cost limits"
    ours = secret(PASSPHRASE)

    def limited(name, why, kdfs, status, options=()):
        slots = [
            (
                passphrase_slot(KEYS, n + 1, PASSPHRASE, kdf)
                if status == 0
                else costly_slot(KEYS, n + 1, kdf)
            )
            for n, kdf in enumerate(kdfs)
        ]
        case("cost_" + name, section, why, slots, status, ours, options=options)

    limited("memory_above_1gib", "Memory above the limit.", [(1, (1 << 20) + 1, 1, 1)], 16)
    limited("scrypt_memory", "4 GiB of memory.", [(2, 24, 2, 1)], 16)
    limited("argon2id_units", "m·t / 2^10 is above 16,384.", [(1, 1 << 20, 17, 1)], 16)
    limited("scrypt_units", "256·N·r·p / 2^20 is above 16,384.", [(2, 20, 8, 16)], 16)
    limited("pbkdf2_units", "One iteration above 16,384 units.", [(3, 16384 * 2048 + 1, 0, 0)], 16)
    limited("sum_of_two", "The sum over the slots counts.", [(3, 20000000, 0, 0)] * 2, 16)
    two = ["--kdf-max-time 2"]
    limited("equal_passes", "A value equal to the limit passes.", [(3, 4096, 0, 0)], 0, two)
    limited("one_above", "One iteration above the limit.", [(3, 4097, 0, 0)], 16, two)
    limited(
        "not_rounded",
        "Three times 1365/2048: the sum is not rounded up.",
        [(3, 1365, 0, 0)] * 3,
        0,
        two,
    )
    limited(
        "sum_not_rounded_down", "Three times 1366/2048 is above 2.", [(3, 1366, 0, 0)] * 3, 16, two
    )
    limited("argon2id_fraction", "2049 KiB, one pass: above 2 units.", [(1, 2049, 1, 1)], 16, two)
    limited("scrypt_equal", "N 2^10, r 8, p 1: exactly 2 units.", [(2, 10, 8, 1)], 0, two)
    small = ["--kdf-max-memory 1MiB"]
    limited("memory_equal", "Memory equal to the limit passes.", [(1, 1024, 1, 1)], 0, small)
    limited("memory_one_above", "1 KiB above the limit.", [(1, 1025, 1, 1)], 16, small)
    limited("scrypt_memory_equal", "128·N·r is exactly 1 MiB.", [(2, 10, 8, 1)], 0, small)
    why = "A slot with a key file mixed in is not tried without one, and does not count."
    slots = [passphrase_slot(KEYS, 1, PASSPHRASE, CHEAP)]
    slots.append(costly_slot(KEYS, 2, (1, 4194304, 64, 1), flags=3))
    case("cost_mixed_not_tried", section, why, slots, 0, ours)
    why = "Both passphrases are tried on the slot: the pairs are summed."
    slots = [passphrase_slot(KEYS, 1, PASSPHRASE, (3, 2049, 0, 0))]
    case("cost_pairs", section, why, slots, 16, ours + secret(b"another"), options=two)


def keys_and_labels():
    section = "Choosing and opening a copy"
    wrong = bytes(range(48))
    ikm = mac(label("key file"), KEY_FILE)
    other = Keys(b"vector archive 2", KEYS.file_key)

    def changed(offset, base=SLOT):
        return base[:offset] + bytes([base[offset] ^ 1]) + base[offset + 1 :]

    case("commitment_changed", section, "No commitment holds.", [changed(60)], 12)
    case("salt_changed", section, "Another salt: no commitment holds.", [changed(30)], 12)
    case("id_changed", section, "The id is in the wrapping's AAD.", [changed(6)], 14)
    case("wrapped_key_changed", section, "The wrapped file key does not open.", [changed(90)], 14)
    case("wrapped_tag_changed", section, "The wrapped file key does not open.", [changed(130)], 14)
    case(
        "wrapped_other_key",
        section,
        "C_fk is not that of the key that was wrapped.",
        [slot(KEYS, 4, 1, ikm, wrapped_key=bytes(32))],
        14,
    )
    aad = label("wrap") + KEYS.aid + b"\1\0"
    case(
        "wrap_aad_without_slot", section, "Another AAD.", [slot(KEYS, 4, 1, ikm, wrap_aad=aad)], 14
    )
    case(
        "of_another_archive",
        section,
        "Slots depend on the archive id.",
        [slot(other, 4, 1, ikm)],
        12,
    )
    why = "A slot that can't hold is skipped, the next one opens."
    case("second_opens", section, why, [key_file_slot(KEYS, 2, bytes(32)), SLOT], 0)
    section = "Derivation"
    for name, plain in [
        ("of_32_bytes", b"0123456789" * 3 + b"01"),
        ("none", b""),
        ("not_ascii", "größe und maß".encode()),
    ]:
        case(
            "label_" + name, section, "A label.", [key_file_slot(KEYS, 1, KEY_FILE, name=plain)], 0
        )
    why = "A label that can't be read keeps nobody from reading."
    case("label_changed", section, why, [changed(140)], 0, verify=14)
    for name, plain in [
        ("not_utf8", b"\xff"),
        ("cut_utf8", "größe".encode()[:3]),
        ("text_behind_zero", b"a\0b"),
    ]:
        case(
            "label_" + name,
            section,
            why,
            [key_file_slot(KEYS, 1, KEY_FILE, name=plain)],
            0,
            verify=14,
        )
    case("label_wrong_key", section, why, [slot(KEYS, 4, 1, ikm, sealed_label=wrong)], 0, verify=14)


def make():
    passphrases()
    mixed()
    key_files()
    recipients()
    recovery_codes()
    structure()
    bounds()
    costs()
    keys_and_labels()
