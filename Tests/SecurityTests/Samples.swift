// An RSA key of 1024 bits in PKCS #1, both halves, and a certificate of it; a key of P-256. Made for these tests with the
// Python package cryptography; no one's keys.

import Foundation

enum Samples {
  static let rsaPrivate = Data(
    base64Encoded: """
      MIICXgIBAAKBgQDrC6zBPwCfN/bEm7NuVpdf1NibJ23FIcWl2JfmRv7P0bcZRdSg/19YI5+fZdhm\
      mpBDnvy7aZUxP4LeDmlfE68WL1KeHWyC6XMpkfjSMcPrn1MpLDPJX4PWKKxG/2OZcIRDIDnjvJPF\
      ZUengPq/gO92jelLrt4ue9Rx52bV+MrMpQIDAQABAoGAM/I8l+jopkekDgerPDN++Pr9dCzeoba5\
      C9I2n/oIzr02jitUttA5ri0RVhUYInT+dTNp/7Fx+5Rhw9nDh/O9uejx8VfvVB7UfTNcfWos4HgP\
      3IKkiWb/dFedt/w4iE4mYH2OlzJQurkedj/fXgaO/35zKE7AwyebJNhE2dPw4IECQQD+5ZDWwd/i\
      RUMbfl6axLALdfTUDxVexMWbWdxTjSDPd1lcBZghnEToeYr8CT0H11dPfMxHUCMEyczE0N9RdSuN\
      AkEA7BAdAjfkUMQQUa9kIWJybFZxUCLLIS6Rc8NmdzqSPs1zIppxD0R5dKdhMnrqFVH87ev9SP5+\
      Ib0Cidi8mJTTeQJBALEXFVXfRIiTzlffqCKm3BhaT0q1YAeDdjbEa8qwlkcNiEvipxtS0p0hNGp+\
      kKRN/B8BeXtiNbIx8c4bv8t8OFECQQCEfsbJZ/WOH33JW1goJMl0ZVBUWjMI/MpG33Wzlfxfo5Dr\
      6yNqHlTNVOUJIFQig1IjeEFBpxXEegHivPOd8GqBAkEA454592gfC7ulnADmpPLkVyAayx6/GaPT\
      9c8+AMl/IlPMGIJh9tQLSuIk+CkuKcUHWhzow+r0nFkdfZyhEWKy6A==
      """)!

  static let rsaPublic = Data(
    base64Encoded: """
      MIGJAoGBAOsLrME/AJ839sSbs25Wl1/U2JsnbcUhxaXYl+ZG/s/RtxlF1KD/X1gjn59l2GaakEOe\
      /LtplTE/gt4OaV8TrxYvUp4dbILpcymR+NIxw+ufUyksM8lfg9YorEb/Y5lwhEMgOeO8k8VlR6eA\
      +r+A73aN6Uuu3i571HHnZtX4ysylAgMBAAE=
      """)!

  /// SHA-1 over the public half, by Python's hashlib.
  static let rsaLabel = "ac1d642385e7aa58104e412e0f1f66bf3c31afd3"

  static let certificate = Data(
    base64Encoded: """
      MIIB3TCCAUagAwIBAgICIAIwDQYJKoZIhvcNAQELBQAwNDEXMBUGA1UECgwORXhhbXBsZSBHYXJk\
      ZW4xGTAXBgNVBAMMEG1haWwuZXhhbXBsZS5vcmcwHhcNMjQwMTAxMDAwMDAwWhcNNDQwMTAxMDAw\
      MDAwWjA0MRcwFQYDVQQKDA5FeGFtcGxlIEdhcmRlbjEZMBcGA1UEAwwQbWFpbC5leGFtcGxlLm9y\
      ZzCBnzANBgkqhkiG9w0BAQEFAAOBjQAwgYkCgYEA6wuswT8Anzf2xJuzblaXX9TYmydtxSHFpdiX\
      5kb+z9G3GUXUoP9fWCOfn2XYZpqQQ578u2mVMT+C3g5pXxOvFi9Snh1sgulzKZH40jHD659TKSwz\
      yV+D1iisRv9jmXCEQyA547yTxWVHp4D6v4Dvdo3pS67eLnvUcedm1fjKzKUCAwEAATANBgkqhkiG\
      9w0BAQsFAAOBgQADrFTsfAUfi3StDlmGg4rhWnsvA5ozQ8WAaZhxGGSoH9iFZ4sqEdwuhGhZR9BV\
      90yeTEoMzNITG23Nv5x5rCh6kJn0/yRyeSGCvw6PrQE7GOVMn1f4z0eUKfMHwEEendjZHlSqDatY\
      j1vhhZwfj3uyEIYW4A/f8FI5WOqWYFdcDg==
      """)!

  static let ecPrivate = Data(
    base64Encoded: """
      BJG6lmZSMTopo+FxO7igGYUjxxaVuLN5tNAMTEmiK449W8mQjOTkJQzXnvAbbNmel/WsiF6O26PR\
      UkTXk4a91+ZOVrmbg0VaIZC9/jn/awQP2qGojnh6JHkvyHvn01fVjA==
      """)!

  /// SHA-1 over its first 65 bytes.
  static let ecLabel = "8bee2d38e6b9b2a1940aa1629e2385ebb8986ab3"
}
