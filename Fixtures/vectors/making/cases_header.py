"""Vectors of the section "Header": copies that are damaged, tampered with, old, or foreign."""

from .building import HEADER, KEYS, KEY_FILE, SECRETS, SLOT, File, history, made, one_session
from .headers import costly_slot, header, key_file_slot, with_checksum
from .primitives import HEADER_MAGIC, Keys
from .vector import vector

EVERYONE = made(("alice",))  # one item is enough to see whether an archive opens
OTHER = Keys(b"another archive!", b"another file key of the vectors!")
OTHER_SLOT = key_file_slot(OTHER, 1, KEY_FILE)


def with_head(head, **options):
    """The archive of one session behind the given header copies."""
    file = File(head, **options).begin(1)
    file.item("alice", SECRETS["alice"])
    file.commit()
    return file.data


def spot(
    name,
    why,
    head,
    read,
    verify,
    items=EVERYONE,
    structure=None,
    section="Layout of a copy",
    append=None,
    salvage=None,
):
    """Header copies, the status of reading, and that of `verify`."""
    if append is None and read == 0:  # the spare: equal, to be written anew or finished, or foreign
        append = {0: 0, 13: 0, 4: 0, 14: 14}[verify]
    vector(
        "header_" + name,
        section,
        why,
        with_head(head),
        read=read,
        pipe=read,
        verify=verify,
        structure=structure,
        items=items,
        **({} if append is None else {"append": append}),
        **({} if salvage is None else {"salvage": salvage}),
    )


def changed(offset, value, copy=HEADER):
    """A copy with other bytes and neither MAC nor checksum mended."""
    return copy[:offset] + value + copy[offset + len(value) :]


def flipped(offset, copy=HEADER):
    return changed(offset, bytes([copy[offset] ^ 1]), copy)


FIELDS = [
    ("magic_first_byte", 0),
    ("magic_last_byte", 7),
    ("major", 8),
    ("minor", 10),
    ("incompatible_features", 12),
    ("read_only_features", 16),
    ("compatible_features", 20),
    ("size", 25),
    ("slot_area_length", 28),
    ("archive_id", 32),
    ("sequence", 48),
    ("reserved", 56),
    ("commitment", 64),
    ("slot_kind", 96),
    ("slot_salt", 96 + 24),
    ("slot_wrapped_key", 96 + 88),
    ("slot_label", 96 + 136),
    ("behind_the_slots", 2000),
    ("mac", 4096 - 64),
    ("checksum", 4096 - 1),
]


def flips():
    for what, offset in FIELDS:
        why = "One bit of the field differs in copy %s; nothing is mended. The other copy serves."
        damaged = flipped(offset)
        spot("a_flipped_" + what, why % "A", damaged + HEADER, 0, 13, structure=13)
        if what in ("magic_first_byte", "major", "size", "archive_id", "slot_salt", "checksum"):
            spot("b_flipped_" + what, why % "B", HEADER + damaged, 0, 13, structure=13)
            spot(
                "both_flipped_" + what,
                "One bit of the field differs in both copies: neither is sound.",
                damaged * 2,
                13,
                13,
                structure=13,
                items=(),
                section="Finding the copies",
            )


def written():
    """Fields that whoever has the file key, or nobody, wrote otherwise."""

    def both(name, why, status, repair_mac=True, structure=None, **fields):
        copy = header(KEYS, [SLOT], **fields)
        if not repair_mac:
            old_mac = HEADER[-64:-32]
            copy = with_checksum(copy[:-64] + old_mac + bytes(32))
        items = EVERYONE if status == 0 else ()
        append = 15 if status == 0 and "read_only" in fields else status  # writers refuse
        spot(name, why, copy * 2, status, status, items, structure, append=append)

    both("major_0", "Major version 0, MAC good.", 15, structure=15, major=0)
    both("major_2", "Major version 2, MAC good.", 15, structure=15, major=2)
    both("major_256", "Major version 256: both bytes count.", 15, structure=15, major=256)
    both("major_2_mac_old", "Major 2, only the checksum mended: judged first.", 15, False, major=2)
    both("minor_7", "Decoders ignore the minor version.", 0, structure=0, minor=7)
    both("minor_7_mac_old", "Minor version changed, only the checksum mended.", 14, False, minor=7)
    both("incompatible_bit_0", "An incompatible feature.", 15, structure=15, incompatible=1)
    both("incompatible_bit_31", "An incompatible feature.", 15, structure=15, incompatible=1 << 31)
    both("read_only_bit_0", "Decoders read on.", 0, structure=0, read_only=1)
    both("read_only_bit_31", "Decoders read on.", 0, structure=0, read_only=1 << 31)
    both(
        "compatible_bits",
        "Decoders ignore compatible features.",
        0,
        structure=0,
        compatible=0xFFFFFFFF,
    )
    both("read_only_mac_old", "A feature bit set without the MAC.", 14, False, read_only=1)
    both("compatible_mac_old", "A feature bit set without the MAC.", 14, False, compatible=4)
    both("sequence_0", "Header sequences begin at 1.", 14, structure=14, sequence=0)
    both("reserved_first", "Reserved bytes are zero.", 14, structure=14, zero=b"\1" + bytes(7))
    both("reserved_last", "Reserved bytes are zero.", 14, structure=14, zero=bytes(7) + b"\1")
    both("behind_the_slots", "Bytes behind the slots are zero.", 14, structure=14, behind=b"\1")
    both(
        "last_byte_before_the_mac",
        "Bytes behind the slots are zero up to the MAC.",
        14,
        structure=14,
        behind=bytes(4096 - 64 - 96 - 184 - 1) + b"\1",
    )
    for name, length in [
        ("0", 0),
        ("shorter", 176),
        ("inside_the_slot", 96),
        ("longer", 192),
        ("at_the_end", 4096 - 160),
        ("above_the_end", 4096 - 159),
        ("maximum", 0xFFFFFFFF),
    ]:
        why = "The slots' lengths do not add up to the slot area length, or it exceeds S - 160."
        both("slot_area_" + name, why, 14, structure=14, area_length=length)
    both("mac_wrong", "The MAC of both copies is wrong under a good checksum.", 14, mac_xor=1)
    both("commitment_wrong", "C_fk is not the file key's; MAC good.", 14, commitment=bytes(32))
    both(
        "archive_id_other",
        "Another archive id under a good checksum: the slot's commitment depends on it.",
        12,
        False,
        aid=b"vector archive 2",
    )
    sequence_9 = header(KEYS, [SLOT], 9)
    spot("newer_than_commit", "The change of the header is not sealed yet.", sequence_9 * 2, 0, 0)
    largest = header(KEYS, [SLOT], (1 << 64) - 1)
    spot("sequence_largest", "The highest header sequence.", largest * 2, 0, 0)


def sizes():
    for k in range(7):
        size = 4096 << k
        vector(
            "header_size_%d" % size,
            "Bounds",
            "A header copy of 4096·2^%d bytes." % k,
            with_head(header(KEYS, [SLOT], size=size) * 2),
            0,
            structure=0,
            items=EVERYONE,
        )
    for size in (0, 4095, 4097, 12288, 2048, 1 << 19, 0xFFFFFFFF):
        copy = header(KEYS, [SLOT], said_size=size)
        why = "S is none of the seven sizes: the copy counts as damaged, whatever its checksum."
        spot("a_says_size_%d" % size, why, copy + HEADER, 0, 13, structure=13)
        spot("both_say_size_%d" % size, why, copy * 2, 13, 13, (), 13)
    copy = header(KEYS, [SLOT], said_size=8192)
    spot("b_says_size_8192", "Copy B's S is not its own place: not sound.", HEADER + copy, 0, 13)
    large = header(KEYS, [SLOT], size=16384)
    broken = changed(24, b"\0\x10\0\0", large)
    data = with_head(large * 2)
    data[:16384] = broken
    vector(
        "header_b_found_at_16384",
        "Finding the copies",
        "Copy A is damaged in its S: copy B is looked for at all seven places.",
        data,
        0,
        verify=13,
        structure=13,
        append=0,
        items=EVERYONE,
    )
    data = with_head(large * 2)
    data[:16384] = bytes(16384)
    vector(
        "header_a_wiped_b_at_16384",
        "Finding the copies",
        "Copy A is zeros.",
        data,
        0,
        verify=13,
        structure=13,
        append=0,
        items=EVERYONE,
    )
    data = with_head(HEADER * 2)
    data[4096:8192] = bytes(4096)
    vector(
        "header_b_wiped",
        "Finding the copies",
        "Copy B is zeros.",
        data,
        0,
        verify=13,
        structure=13,
        append=0,
        items=EVERYONE,
    )


def no_header():
    def nothing(name, why, data, status):
        section = "Finding the copies"
        vector("header_" + name, section, why, data, status, structure=status)

    good = bytes(one_session().data)
    magic = "No header magic and no frame magic at any place where one should be."
    nothing("empty_file", "Fewer than 8 bytes.", b"", 10)
    nothing("seven_bytes", "Fewer than 8 bytes.", HEADER_MAGIC[:7], 10)
    nothing("zeros", magic, bytes(20000), 10)
    nothing("text", magic, b"Dear keychain,\n" * 1000, 10)
    nothing("shifted_by_one", magic, b"\0" + good, 10)
    nothing("line_ends_converted", magic, good.replace(b"\r\n", b"\n"), 10)
    nothing("first_16384_bytes_gone", magic, one_session().data[8208:], 10)
    nothing("only_magic", "The header magic, and the file ends.", HEADER_MAGIC, 4)
    nothing("cut_at_28", "The file ends inside copy A.", good[:28], 4)
    nothing("cut_at_4095", "The file ends inside copy A.", good[:4095], 4)
    nothing("cut_at_4096", "Copy A is sound, the file shorter than 2S.", good[:4096], 4)
    nothing("cut_at_8191", "Copy A is sound, the file shorter than 2S.", good[:8191], 4)
    nothing("cut_at_8192", "No COMMIT: an unfinished append of nothing.", good[:8192], 4)
    large = bytes(with_head(header(KEYS, [SLOT], size=16384) * 2))
    nothing("large_cut_at_9000", "Shorter than 2S for an allowed S at 24.", large[:9000], 4)
    nothing("large_cut_at_20000", "Copy A is sound, the file shorter than 2S.", large[:20000], 4)
    wiped = bytes(8192) + good[8192:]
    nothing("both_wiped", "Both copies are zeros, a frame magic stands at 2S.", wiped, 13)
    stripped = bytes(byte & 0x7F for byte in good)
    nothing("high_bits_stripped", "The frame magic at 8192 is left.", stripped, 13)
    only_b = b"\0" + good[1:4096] + flipped(100) + good[8192:]
    nothing("a_without_magic_b_damaged", "A header magic stands at 4096.", only_b, 13)
    cut = flipped(100) + good[4096:8191]
    nothing("a_damaged_cut_in_b", "The magic at 0, fewer than 8,192 bytes.", cut, 4)
    vector(
        "header_cut_at_4096_wrong_credential",
        "Finding the copies",
        "The file is shorter than 2S: 4 before any credential is tried.",
        good[:5000],
        4,
        structure=4,
        credentials=["key-file: " + bytes(32).hex()],
    )


def two_copies():
    """Copies that differ."""
    section = "Choosing and opening a copy"
    newer = header(KEYS, [SLOT], 2)
    forged = with_checksum(header(KEYS, [SLOT], 3)[:-64] + bytes(64))
    unfinished = "An unfinished change of the header: readers take the higher sequence."
    spot("b_newer", unfinished, HEADER + newer, 0, 4, section=section)
    spot("a_newer", unfinished, newer + HEADER, 0, 4, section=section)
    forgery = "A copy of higher sequence without a MAC that holds is set aside."
    spot("b_forged_newer", forgery, HEADER + forged, 0, 14, section=section)
    spot("a_forged_newer", forgery, forged + HEADER, 0, 14, section=section)
    spot("b_mac_wrong", "The spare's MAC fails.", HEADER + header(KEYS, [SLOT], mac_xor=1), 0, 14)
    spot(
        "a_mac_wrong",
        "Copy A's MAC fails: copy B is used.",
        header(KEYS, [SLOT], mac_xor=1) + HEADER,
        0,
        14,
    )
    why = "Copy A was bad when the header was changed: copy B alone has the new state."
    spot("a_damaged_b_newer", why, flipped(500) + newer, 0, 13, structure=13, section=section)
    spot("b_damaged_a_newer", why, newer + flipped(500), 0, 13, structure=13, section=section)
    fork = header(KEYS, [SLOT], minor=1)
    why = "One header sequence, other bytes, both MACs good: nothing says which is current."
    spot("two_of_one_sequence", why, HEADER + fork, 14, 14, (), section=section)
    for bit, name in ((0, "signed"), (1, "unsigned")):
        copy = header(KEYS, [SLOT], 2, incompatible=1, mac_xor=bit)
        spot(
            "b_newer_incompatible_" + name,
            "A candidate of an unknown feature is set aside; the other one opens.",
            HEADER + copy,
            0,
            14 if bit else 4,
            section=section,
            append=14 if bit else (0, 15),
        )
    costly = costly_slot(KEYS, 2, (1, 4194305, 1, 1))
    wrong = ["key-file: " + bytes(range(32)).hex()]
    for name, first, second, status in [
        ("wrong_12", HEADER, HEADER, 12),
        ("wrong_12_and_15", HEADER, header(KEYS, [SLOT], 2, major=2), 15),
        ("wrong_12_and_16", HEADER, header(KEYS, [SLOT, costly], 2), 16),
        ("wrong_12_and_14", HEADER, header(KEYS, [SLOT], 2, zero=b"\1" * 8), 14),
        ("wrong_15_and_16", header(KEYS, [SLOT], major=2), header(KEYS, [SLOT, costly], 2), 15),
        (
            "wrong_14_and_15",
            header(KEYS, [SLOT], 2, behind=b"\1"),
            header(KEYS, [SLOT], major=2),
            14,
        ),
    ]:
        vector(
            "header_" + name,
            section,
            "No candidate opens: the first of 14, 15, 16, 12 that one had.",
            with_head(first + second),
            status,
            credentials=wrong,
        )
    vector(
        "header_wrong_credential_a_damaged",
        section,
        "A wrong credential is not reported as damage.",
        with_head(flipped(100) + HEADER),
        12,
        credentials=wrong,
    )
    stranger = header(OTHER, [OTHER_SLOT], 5)
    why = "A header that opens but under which no COMMIT opens: the other one is used."
    spot("b_of_a_stranger", why, HEADER + stranger, 0, 14, section=section)
    spot("a_of_a_stranger", why, stranger + HEADER, 0, 14, section=section)
    why = "Both copies are a stranger's: two sound COMMIT headers, and neither copy opens."
    spot("both_of_a_stranger", why, stranger * 2, 14, 14, (), section="Finding the state", salvage=3)
    lower = header(OTHER, [OTHER_SLOT], 1)
    why = "The copy that opens first is used if a COMMIT opens under it."
    spot("b_of_a_stranger_same_sequence", why, HEADER + lower, 0, 14, section=section)
    spot("a_of_a_stranger_same_sequence", why, lower + HEADER, 0, 14, section=section)


def rollback():
    section = "Finding the state"
    old = "The newest COMMIT seals header sequence 2: an old header was put back."
    data = bytes(with_head(HEADER * 2, header_sequence=2))
    vector("header_rolled_back", section, old, data, 17)
    vector(
        "header_rolled_back_accepted",
        section,
        old + " The user accepts.",
        data,
        0,
        append=17,
        items=EVERYONE,
        options=["--accept-old-header"],
    )
    newer = header(KEYS, [SLOT], 2)
    broken = flipped(500, newer)
    why = "Copy A has the sequence of the newest COMMIT, copy B is one behind: not yet copied over."
    head = newer + HEADER
    vector(
        "header_b_behind_the_commit",
        section,
        why,
        with_head(head, header_sequence=2),
        0,
        verify=4,
        append=0,
        items=EVERYONE,
    )
    why = "The newer copy is damaged: what opens is older than the newest COMMIT."
    data = with_head(broken + HEADER, header_sequence=2)
    vector("header_newer_damaged", section, why, data, 17)
    file = history()
    file.header_sequence = 2
    file.begin(4)
    file.commit()
    after = [("alice", SECRETS["alice"]), ("bob", b"bob's new password"), ("dave", SECRETS["dave"])]
    vector("header_old_after_slot_change", section, old, file.data, 17)
    file.data[:8192] = newer * 2
    why = "A change of the header, sealed by an empty session."
    vector(
        "header_changed_and_sealed",
        "Changing credentials",
        why,
        file.data,
        0,
        structure=0,
        items=after,
    )
    file.data[-512:] = b""
    why = "The sealing session is missing: no finding, the next session seals it."
    vector(
        "header_changed_unsealed", "Finding the state", why, file.data, 0, structure=0, items=after
    )


def make():
    flips()
    written()
    sizes()
    no_header()
    two_copies()
    rollback()
