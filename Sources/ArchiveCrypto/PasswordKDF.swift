// The three password-based KDFs of passphrase slots. Their costs come from a file, so the caller has
// compared them with the format's bounds and the run's limits before it gets here.

internal import CArgon2
internal import COpenSSL

package enum PasswordKDF {
  /// Argon2id, version 0x13 (RFC 9106).
  ///
  /// - Parameters:
  ///   - memory: KiB.
  ///   - passes: the RFC's t.
  ///   - lanes: the RFC's p; as many threads work.
  package static func argon2id(
    password: RawSpan, salt: RawSpan, memory: UInt32, passes: UInt32, lanes: UInt32, count: Int
  ) throws(CryptoError) -> SecretBytes {
    var result = SecretBytes(count: count)
    var target = result.mutableBytes
    let status = unsafe target.withUnsafeMutableBytes { target in
      unsafe password.withUnsafeBytes { password in
        unsafe salt.withUnsafeBytes { salt in
          unsafe argon2id_hash_raw(
            passes, memory, lanes, password.baseAddress, password.count, salt.baseAddress,
            salt.count, target.baseAddress, target.count)
        }
      }
    }
    switch status {
    case ARGON2_OK.rawValue: return result
    case ARGON2_MEMORY_ALLOCATION_ERROR.rawValue:
      throw CryptoError(code: .outOfMemory, reason: "no \(memory) KiB of memory for Argon2id")
    default:
      throw CryptoError(code: .refusedInput, reason: "Argon2id refused its input (\(status))")
    }
  }

  /// scrypt (RFC 7914) with N = 2^`logN`.
  package static func scrypt(
    password: RawSpan, salt: RawSpan, logN: UInt32, r: UInt32, p: UInt32, count: Int
  ) throws(CryptoError) -> SecretBytes {
    guard logN >= 1, logN < 63, r >= 1, p >= 1 else {
      throw CryptoError(code: .refusedInput, reason: "scrypt cost out of range")
    }
    _ = Library.isReady
    var result = SecretBytes(count: count)
    var target = result.mutableBytes
    let isDone = unsafe target.withUnsafeMutableBytes { target in
      unsafe password.withUnsafeBytes { password in
        unsafe salt.withUnsafeBytes { salt in
          // OpenSSL's own memory limit is off (the caller's bounds hold): it would refuse what the
          // format allows.
          unsafe EVP_PBE_scrypt(
            password.baseAddress?.assumingMemoryBound(to: CChar.self), password.count,
            salt.baseAddress?.assumingMemoryBound(to: UInt8.self), salt.count,
            1 << UInt64(logN), UInt64(r), UInt64(p), UInt64(Int64.max),
            target.baseAddress!.assumingMemoryBound(to: UInt8.self), target.count) == 1
        }
      }
    }
    guard isDone else {
      throw CryptoError(code: .outOfMemory, reason: "scrypt failed, most likely for lack of memory")
    }
    return result
  }

  /// PBKDF2-HMAC-SHA-256 (RFC 8018).
  package static func pbkdf2(
    password: RawSpan, salt: RawSpan, iterations: UInt32, count: Int
  ) throws(CryptoError) -> SecretBytes {
    guard let rounds = Int32(exactly: iterations), rounds >= 1 else {
      throw CryptoError(code: .refusedInput, reason: "PBKDF2 iterations out of range")
    }
    _ = Library.isReady
    var result = SecretBytes(count: count)
    var target = result.mutableBytes
    let isDone = unsafe target.withUnsafeMutableBytes { target in
      unsafe password.withUnsafeBytes { password in
        unsafe salt.withUnsafeBytes { salt in
          unsafe PKCS5_PBKDF2_HMAC(
            password.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(password.count),
            salt.baseAddress?.assumingMemoryBound(to: UInt8.self), Int32(salt.count), rounds,
            EVP_sha256(), Int32(target.count),
            target.baseAddress!.assumingMemoryBound(to: UInt8.self)) == 1
        }
      }
    }
    guard isDone else { throw .library("PKCS5_PBKDF2_HMAC") }
    return result
  }
}
