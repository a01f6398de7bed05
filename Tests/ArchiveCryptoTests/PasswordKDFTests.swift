// The password-based KDFs against the documents that define them, and what they refuse.

import ArchiveCrypto
import ByteCoding
import CArgon2
import Glibc
import Testing

@Suite(.serialized)
struct Argon2idTests {
  struct Vector: Sendable {
    let passes: UInt32
    let memory: UInt32
    let lanes: UInt32
    let password: String
    let salt: String
    let tag: String
  }

  // src/test.c of the reference implementation (P-H-C/phc-winner-argon2), Argon2id with version 0x13.
  @Test(
    "the reference implementation's own vectors hold",
    arguments: [
      Vector(
        passes: 2, memory: 1 << 16, lanes: 1, password: "password", salt: "somesalt",
        tag: "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"),
      Vector(
        passes: 2, memory: 1 << 18, lanes: 1, password: "password", salt: "somesalt",
        tag: "78fe1ec91fb3aa5657d72e710854e4c3d9b9198c742f9616c2f085bed95b2e8c"),
      Vector(
        passes: 2, memory: 1 << 8, lanes: 1, password: "password", salt: "somesalt",
        tag: "9dfeb910e80bad0311fee20f9c0e2b12c17987b4cac90c2ef54d5b3021c68bfe"),
      Vector(
        passes: 2, memory: 1 << 8, lanes: 2, password: "password", salt: "somesalt",
        tag: "6d093c501fd5999645e0ea3bf620d7b8be7fd2db59c20d9fff9539da2bf57037"),
      Vector(
        passes: 1, memory: 1 << 16, lanes: 1, password: "password", salt: "somesalt",
        tag: "f6a5adc1ba723dddef9b5ac1d464e180fcd9dffc9d1cbf76cca2fed795d9ca98"),
      Vector(
        passes: 4, memory: 1 << 16, lanes: 1, password: "password", salt: "somesalt",
        tag: "9025d48e68ef7395cca9079da4c4ec3affb3c8911fe4f86d1a2520856f63172c"),
      Vector(
        passes: 2, memory: 1 << 16, lanes: 1, password: "differentpassword", salt: "somesalt",
        tag: "0b84d652cf6b0c4beaef0dfe278ba6a80df6696281d7e0d2891b817d8c458fde"),
      Vector(
        passes: 2, memory: 1 << 16, lanes: 1, password: "password", salt: "diffsalt",
        tag: "bdf32b05ccc42eb15d58fd19b1f856b113da1e9a5874fdcc544308565aa8141c"),
    ])
  func reference(_ vector: Vector) throws {
    let tag = try PasswordKDF.argon2id(
      password: ascii(vector.password).bytes, salt: ascii(vector.salt).bytes,
      memory: vector.memory, passes: vector.passes, lanes: vector.lanes, count: 32)
    #expect(content(of: tag) == hex(vector.tag))
  }

  // The inputs of RFC 9106, 5.3, without its secret and associated data; OpenSSL publishes both in
  // test/recipes/30-test_evp_data/evpkdf_argon2.txt.
  @Test("the RFC's inputs without secret and associated data, and no password at all, hold")
  func openSSL() throws {
    let salt = [UInt8](repeating: 2, count: 16)
    let tag = try PasswordKDF.argon2id(
      password: [UInt8](repeating: 1, count: 32).bytes, salt: salt.bytes, memory: 32, passes: 3,
      lanes: 4, count: 32)
    #expect(
      content(of: tag) == hex("03aab965c12001c9d7d0d2de33192c0494b684bb148196d73c1df1acaf6d0c2e"))
    let empty = try PasswordKDF.argon2id(
      password: [UInt8]().bytes, salt: salt.bytes, memory: 32, passes: 3, lanes: 4, count: 32)
    #expect(
      content(of: empty) == hex("0a34f1abde67086c82e785eaf17c68382259a264f4e61b91cd2763cb75ac189a"))
  }

  // RFC 9106, 5.3, has a secret and associated data, which slots have not: the library that
  // `PasswordKDF` calls is asked directly.
  @Test("the library computes the vector of RFC 9106, 5.3")
  func rfc9106() {
    var tag = [UInt8](repeating: 0, count: 32)
    var password = [UInt8](repeating: 1, count: 32)
    var salt = [UInt8](repeating: 2, count: 16)
    var secret = [UInt8](repeating: 3, count: 8)
    var data = [UInt8](repeating: 4, count: 12)
    let status = unsafe tag.withUnsafeMutableBufferPointer { tag in
      unsafe password.withUnsafeMutableBufferPointer { password in
        unsafe salt.withUnsafeMutableBufferPointer { salt in
          unsafe secret.withUnsafeMutableBufferPointer { secret in
            unsafe data.withUnsafeMutableBufferPointer { data in
              var context = unsafe argon2_context(
                out: tag.baseAddress, outlen: 32, pwd: password.baseAddress, pwdlen: 32,
                salt: salt.baseAddress, saltlen: 16, secret: secret.baseAddress, secretlen: 8,
                ad: data.baseAddress, adlen: 12, t_cost: 3, m_cost: 32, lanes: 4, threads: 4,
                version: UInt32(ARGON2_VERSION_13.rawValue), allocate_cbk: nil, free_cbk: nil,
                flags: 0)
              return unsafe argon2_ctx(&context, Argon2_id)
            }
          }
        }
      }
    }
    #expect(status == ARGON2_OK.rawValue)
    #expect(tag == hex("0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"))
  }

  struct Refusal: Sendable {
    var memory: UInt32 = 64
    var passes: UInt32 = 1
    var lanes: UInt32 = 1
    var saltCount = 16
    var count = 32
  }

  @Test(
    "what the RFC does not allow is refused",
    arguments: [
      Refusal(memory: 0), Refusal(memory: 7), Refusal(memory: 15, lanes: 2), Refusal(passes: 0),
      Refusal(lanes: 0), Refusal(lanes: 1 << 24), Refusal(saltCount: 0), Refusal(saltCount: 7),
      Refusal(count: 0), Refusal(count: 3),
    ])
  func refused(_ refusal: Refusal) {
    let code = failure {
      _ = try PasswordKDF.argon2id(
        password: ascii("password").bytes,
        salt: [UInt8](repeating: 2, count: refusal.saltCount).bytes, memory: refusal.memory,
        passes: refusal.passes, lanes: refusal.lanes, count: refusal.count)
    }
    #expect(code == .refusedInput)
  }
}

@Suite(.serialized)
struct ScryptTests {
  struct Vector: Sendable {
    let password: String
    let salt: String
    let logN: UInt32
    let r: UInt32
    let p: UInt32
    let key: String
  }

  // The last one takes 1 GiB, as much as a run of the program may by default.
  @Test(
    "the vectors of RFC 7914, 12, hold",
    arguments: [
      Vector(
        password: "", salt: "", logN: 4, r: 1, p: 1,
        key: """
          77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442
          fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906
          """),
      Vector(
        password: "password", salt: "NaCl", logN: 10, r: 8, p: 16,
        key: """
          fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162
          2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640
          """),
      Vector(
        password: "pleaseletmein", salt: "SodiumChloride", logN: 14, r: 8, p: 1,
        key: """
          7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2
          d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887
          """),
      Vector(
        password: "pleaseletmein", salt: "SodiumChloride", logN: 20, r: 8, p: 1,
        key: """
          2101cb9b6a511aaeaddbbe09cf70f881ec568d574a2ffd4dabe5ee9820adaa47
          8e56fd8f4ba5d09ffa1c6d927c40f4c337304049e8a952fbcbf45c6fa77a41a4
          """),
    ])
  func rfc7914(_ vector: Vector) throws {
    let key = try PasswordKDF.scrypt(
      password: ascii(vector.password).bytes, salt: ascii(vector.salt).bytes, logN: vector.logN,
      r: vector.r, p: vector.p, count: 64)
    #expect(content(of: key) == hex(vector.key))
  }

  struct Cost: Sendable {
    let logN: UInt32
    let r: UInt32
    let p: UInt32
  }

  // RFC 7914, 6: N is greater than 1 and less than 2^(128·r/8), p at most (2^32 - 1)·32 / (128·r).
  @Test(
    "costs that RFC 7914 does not allow are refused before any memory is asked for",
    arguments: [
      Cost(logN: 0, r: 8, p: 1), Cost(logN: 63, r: 8, p: 1), Cost(logN: 64, r: 8, p: 1),
      Cost(logN: .max, r: 8, p: 1), Cost(logN: 4, r: 0, p: 1), Cost(logN: 4, r: 1, p: 0),
      Cost(logN: 16, r: 1, p: 1), Cost(logN: 32, r: 2, p: 1), Cost(logN: 4, r: 1, p: 1 << 30),
      Cost(logN: 4, r: 1 << 15, p: 1 << 15), Cost(logN: 4, r: .max, p: .max),
    ])
  func refused(_ cost: Cost) {
    let code = failure {
      _ = try PasswordKDF.scrypt(
        password: ascii("password").bytes, salt: ascii("salt").bytes, logN: cost.logN, r: cost.r,
        p: cost.p, count: 32)
    }
    #expect(code == .refusedInput)
  }

  @Test("the largest N that RFC 7914 allows for r = 1 works")
  func largestN() throws {
    // Computed with Python's hashlib.
    let key = try PasswordKDF.scrypt(
      password: ascii("password").bytes, salt: ascii("salt").bytes, logN: 15, r: 1, p: 1, count: 32)
    #expect(
      content(of: key) == hex("c1516997788c1cff5d1020d784d9a31b4cd742ce4fcd4370288548fb0c5a96ea"))
  }
}

struct PBKDF2Tests {
  struct Vector: Sendable {
    let password: String
    let salt: String
    let iterations: UInt32
    let key: String
  }

  @Test(
    "the vectors of RFC 7914, 11, hold",
    arguments: [
      Vector(
        password: "passwd", salt: "salt", iterations: 1,
        key: """
          55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc
          49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783
          """),
      Vector(
        password: "Password", salt: "NaCl", iterations: 80_000,
        key: """
          4ddcd8f60b98be21830cee5ef22701f9641a4418d04c0414aeff08876b34ab56
          a1d425a1225833549adb841b51c9b3176a272bdebba1d078478f62b397f33c8d
          """),
    ])
  func rfc7914(_ vector: Vector) throws {
    let key = try PasswordKDF.pbkdf2(
      password: ascii(vector.password).bytes, salt: ascii(vector.salt).bytes,
      iterations: vector.iterations, count: 64)
    #expect(content(of: key) == hex(vector.key))
  }

  @Test("neither password nor salt is an input too")
  func empty() throws {
    // Computed with Python's hashlib.
    let key = try PasswordKDF.pbkdf2(
      password: [UInt8]().bytes, salt: [UInt8]().bytes, iterations: 2, count: 20)
    #expect(content(of: key) == hex("97398411d6aea43a77acef92226ab8278d4db066"))
  }

  @Test("iterations that OpenSSL cannot count are refused", arguments: [0, 1 << 31, UInt32.max])
  func refused(iterations: UInt32) {
    let code = failure {
      _ = try PasswordKDF.pbkdf2(
        password: ascii("password").bytes, salt: ascii("salt").bytes, iterations: iterations,
        count: 32)
    }
    #expect(code == .refusedInput)
  }
}

struct KDFMemoryTests {
  // In a process of its own: the limit is the whole process's.
  @Test("memory that is not there is an error of its own")
  func outOfMemory() async {
    await #expect(processExitsWith: .success) {
      var limit = rlimit(rlim_cur: 2 << 30, rlim_max: 2 << 30)
      guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { exit(2) }
      let argon2id = failure {
        _ = try PasswordKDF.argon2id(
          password: ascii("password").bytes, salt: ascii("somesalt").bytes, memory: 3 << 20,
          passes: 1, lanes: 1, count: 32)
      }
      guard argon2id == .outOfMemory else { exit(3) }
      let scrypt = failure {
        _ = try PasswordKDF.scrypt(
          password: ascii("password").bytes, salt: ascii("salt").bytes, logN: 22, r: 8, p: 1,
          count: 32)
      }
      guard scrypt == .outOfMemory else { exit(4) }
    }
  }
}
