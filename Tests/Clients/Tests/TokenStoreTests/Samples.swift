// A key of P-256 in its external form, and a certificate of it, made for these tests (openssl's curve, no one's key).

import Foundation

enum Samples {
  static let privateKey = Data(
    base64Encoded: """
      BJG6lmZSMTopo+FxO7igGYUjxxaVuLN5tNAMTEmiK449W8mQjOTkJQzXnvAbbNmel/WsiF6O26PR\
      UkTXk4a91+ZOVrmbg0VaIZC9/jn/awQP2qGojnh6JHkvyHvn01fVjA==
      """)!

  static let certificate = Data(
    base64Encoded: """
      MIIBmDCCAT2gAwIBAgICEAEwCgYIKoZIzj0EAwIwQzELMAkGA1UEBhMCREUxFzAVBgNVBAoMDkV4\
      YW1wbGUgR2FyZGVuMRswGQYDVQQDDBJkZXZpY2UuZXhhbXBsZS5vcmcwHhcNMjQwMTAxMDAwMDAw\
      WhcNNDQwMTAxMDAwMDAwWjBDMQswCQYDVQQGEwJERTEXMBUGA1UECgwORXhhbXBsZSBHYXJkZW4x\
      GzAZBgNVBAMMEmRldmljZS5leGFtcGxlLm9yZzBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABJG6\
      lmZSMTopo+FxO7igGYUjxxaVuLN5tNAMTEmiK449W8mQjOTkJQzXnvAbbNmel/WsiF6O26PRUkTX\
      k4a91+ajITAfMB0GA1UdDgQWBBSL7i045rmyoZQKoWKeI4XruJhqszAKBggqhkjOPQQDAgNJADBG\
      AiEAqSeCPeZP1Ocl0Dna1DOnDDcoVhaGr1qrRY/puGCpTL0CIQDftvXV4T+2LylUNmuOYnVcZyhC\
      erbIYTfPfdac9CwBmA==
      """)!
}
