// Small programs that scripts call: what a person has no command for, in the Python of Debian.

/// A program in a script's PATH.
struct Tool {
  let name: String
  let text: String

  static let all = [damage, terminal, same, treeOf, memoryAtExit]

  /// `damage ARCHIVE NEW WHAT`: a copy with one thing changed.
  ///
  /// - `flip-item`, `flip-value`: a sealed bit of the first such frame; with `repaired-` in front, its
  ///   checks are made to hold again, as somebody would who wants it unseen.
  /// - `kdf`: the first passphrase of both header copies asks for 4 GiB, checksums repaired.
  private static let damage = Tool(
    name: "damage",
    text: #"""
      #!/usr/bin/env python3
      import hashlib, struct, sys, zlib
      source, target, what = sys.argv[1:4]
      data = bytearray(open(source, "rb").read())
      size = struct.unpack_from("<I", data, 24)[0]
      if what == "kdf":
          for place in (0, size):
              slot = place + 96
              while data[slot] != 1:
                  slot += 184
              struct.pack_into("<I", data, slot + 12, 4 << 20)
              end = place + size - 32
              data[end:end + 32] = hashlib.sha256(data[place:end]).digest()
      else:
          kind = {"item": 1, "value": 2}[what.split("-")[-1]]
          place = 2 * size
          while data[place + 4] != kind:
              place += 32 + int.from_bytes(data[place + 5:place + 8], "little")
          length = int.from_bytes(data[place + 5:place + 8], "little")
          data[place + 32 + 20] ^= 1
          if what.startswith("repaired"):
              words = struct.unpack_from("<%dI" % (length // 4), data, place + 32)
              check = sum((2 * i + 1) * word for i, word in enumerate(words)) & 0xFFFFFFFF
              struct.pack_into("<I", data, place + 24, check)
              struct.pack_into("<I", data, place + 28, zlib.crc32(data[place:place + 28]))
          print("byte {:,}".format(place))
      open(target, "wb").write(data)
      """#)

  /// `terminal WORDS...`: runs a program on a new terminal, prints what that showed, and ends with the
  /// program's status. Each line of standard input is typed when the program asks something.
  private static let terminal = Tool(
    name: "terminal",
    text: #"""
      #!/usr/bin/env python3
      import os, pty, sys
      answers = [line for line in sys.stdin.buffer]
      child, screen = pty.fork()
      if child == 0:
          os.execvp(sys.argv[1], sys.argv[1:])
      shown = asked = b""
      while True:
          try:
              part = os.read(screen, 4096)
          except OSError:
              break
          if not part:
              break
          shown += part
          asked += part
          if answers and asked.endswith(b": "):
              os.write(screen, answers.pop(0))
              asked = b""
      sys.stdout.buffer.write(shown.replace(b"\r\n", b"\n"))
      sys.stdout.flush()
      sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
      """#)

  /// `same A B`: whether two files of items hold the same items, in any order.
  private static let same = Tool(
    name: "same",
    text: #"""
      #!/usr/bin/env python3
      import json, sys
      def items(path):
          text = open(path, encoding="utf-8").read()
          if path.endswith(".jsonl"):
              found = [json.loads(line) for line in text.splitlines()]
          else:
              found = json.loads(text)
              found = found["items"] if isinstance(found, dict) else found
          return sorted(json.dumps(item, sort_keys=True) for item in found)
      first, second = map(items, sys.argv[1:])
      for one in first:
          if one not in second: print("only in the first:", one)
      for one in second:
          if one not in first: print("only in the second:", one)
      sys.exit(first != second)
      """#)

  /// `tree DIR`: all that is in a folder, with kind, mode, time to the microsecond, and content.
  private static let treeOf = Tool(
    name: "tree-of",
    text: #"""
      #!/usr/bin/env python3
      import hashlib, os, stat, sys
      top = os.fsencode(sys.argv[1])
      found = [top]
      for folder, folders, files in os.walk(top):
          found += [os.path.join(folder, name) for name in folders + files]
      for path in sorted(found):
          status = os.lstat(path)
          content = ""
          if stat.S_ISLNK(status.st_mode):
              content = repr(os.readlink(path))
          elif stat.S_ISREG(status.st_mode):
              content = hashlib.sha256(open(path, "rb").read()).hexdigest()
          print(repr(path[len(top):]), oct(status.st_mode), (status.st_mtime_ns + 500) // 1000, content)
      """#)

  /// `memory-at-exit ARCHIVE VALUE CREDENTIAL... -- PROGRAM WORDS...`: runs a program, and when it is about to end
  /// looks for secrets in all its memory: the credential, the value (a file) and every key that leads to it. Prints
  /// what is there, and the program's status. CREDENTIAL is an option of the reader in Spec/reader, which has to be
  /// in PYTHONPATH: it makes the same keys.
  private static let memoryAtExit = Tool(
    name: "memory-at-exit",
    text: #"""
      #!/usr/bin/env python3
      import ctypes, os, signal, sys
      from container import archive, header, reading, slots
      import kcarchive_reader as reader

      cut = sys.argv.index("--")
      archive_path, value_path, *credential = sys.argv[1:cut]
      secrets = {}

      def note(name, secret):
          secrets.setdefault(bytes(secret), name)

      def watch(module, function, name):
          plain = getattr(module, function)
          def watched(*words):
              result = plain(*words)
              if result is not None:
                  note(name, result[:32])
              return result
          setattr(module, function, watched)

      watch(slots, "H", "digest of a credential, or PRK")
      watch(slots, "kdf", "derived from a passphrase")
      watch(slots, "X", "KEK")
      watch(header, "opened", "file key")
      watch(header, "X", "K_header")
      watch(archive, "X", "K_meta, K_value, or a segment's key")
      options = reader.arguments([*credential, archive_path])
      given = reader.gather_credentials(options)
      for secret in given.passphrases + given.identities + given.key_files:
          note("credential", secret)
      opened, _ = reading.open_archive(reader.read(archive_path), given, (16384, 1 << 30))
      list(reading.items(opened, False))
      # The same derivation gives the file key's commitment, which is in the header for all to see.
      secrets.pop(opened.header.commitment, None)
      note("value", reader.read(value_path))

      # ptrace(2)
      libc = ctypes.CDLL(None)
      libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
      TRACEME, CONT, SETOPTIONS, TRACEEXIT, EXITKILL, EVENT_EXIT = 0, 7, 0x4200, 0x40, 0x100000, 6
      child = os.fork()
      if child == 0:
          os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
          libc.ptrace(TRACEME, 0, None, None)
          os.execvp(sys.argv[cut + 1], sys.argv[cut + 1:])
      os.waitpid(child, 0)
      libc.ptrace(SETOPTIONS, child, None, TRACEEXIT | EXITKILL)
      signalled = None
      while True:
          libc.ptrace(CONT, child, None, signalled)
          _, status = os.waitpid(child, 0)
          if not os.WIFSTOPPED(status):
              sys.exit("the program ended unseen")
          if status >> 8 == signal.SIGTRAP | EVENT_EXIT << 8:
              break
          signalled = os.WSTOPSIG(status)
      scanned = 0
      found = set()
      with open(f"/proc/{child}/maps") as maps, open(f"/proc/{child}/mem", "rb", 0) as memory:
          for line in maps:
              span, mode, *_, where = line.split()
              start, end = (int(word, 16) for word in span.split("-"))
              if mode[0] != "r" or where.startswith("[v"):
                  continue
              content = os.pread(memory.fileno(), end - start, start)
              scanned += len(content)
              for secret, name in secrets.items():
                  # A register holds 16 bytes: halves of keys count.
                  if secret[:16] in content or secret[-16:] in content:
                      found.add(f"{name} in {where if where.startswith('[') else 'memory'}")
      libc.ptrace(CONT, child, None, None)
      print("\n".join(sorted(found)) or f"none of {len(secrets)} secrets")
      print("status", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
      sys.exit(scanned < 1 << 20)
      """#)
}
