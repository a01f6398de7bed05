// Starts OpenSSL once, without its configuration file: what an archive means may not depend on a
// machine's openssl.cnf, and reading one costs a short command more than all of its own work.

internal import COpenSSL

enum Library {
  /// Touch before the first call; later touches cost a load.
  static let isReady: Bool =
    OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_LOAD_CONFIG), nil) == 1
}
