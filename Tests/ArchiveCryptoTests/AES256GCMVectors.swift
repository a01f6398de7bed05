// Published vectors of AES-256-GCM with 96-bit nonces and 128-bit tags.

import Testing

struct AES256GCMVector: Sendable, CustomTestStringConvertible {
  let name: String
  let key: [UInt8]
  let nonce: [UInt8]
  let header: [UInt8]
  let plaintext: [UInt8]
  let ciphertext: [UInt8]
  let tag: [UInt8]

  var testDescription: String { name }

  init(
    _ name: String, key: String, nonce: String, header: String, plaintext: String,
    ciphertext: String, tag: String
  ) {
    self.name = name
    self.key = hex(key)
    self.nonce = hex(nonce)
    self.header = hex(header)
    self.plaintext = hex(plaintext)
    self.ciphertext = hex(ciphertext)
    self.tag = hex(tag)
  }
}

extension AES256GCMVector {
  /// D. McGrew and J. Viega, "The Galois/Counter Mode of Operation (GCM)", appendix B: the cases of
  /// AES-256 whose nonce has 96 bits.
  static let specification = [
    AES256GCMVector(
      "test case 13, nothing at all",
      key: "0000000000000000000000000000000000000000000000000000000000000000",
      nonce: "000000000000000000000000", header: "", plaintext: "", ciphertext: "",
      tag: "530f8afbc74536b9a963b4f1c4cb738b"),
    AES256GCMVector(
      "test case 14, one block",
      key: "0000000000000000000000000000000000000000000000000000000000000000",
      nonce: "000000000000000000000000", header: "",
      plaintext: "00000000000000000000000000000000",
      ciphertext: "cea7403d4d606b6e074ec5d3baf39d18", tag: "d0d1c8a799996bf0265b98b5d48ab919"),
    AES256GCMVector(
      "test case 15, four blocks",
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      nonce: "cafebabefacedbaddecaf888", header: "",
      plaintext: """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b391aafd255
        """,
      ciphertext: """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
        8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662898015ad
        """,
      tag: "b094dac5d93471bdec1a502270e3cc6c"),
    AES256GCMVector(
      "test case 16, an unfinished block and a header",
      key: "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308",
      nonce: "cafebabefacedbaddecaf888", header: "feedfacedeadbeeffeedfacedeadbeefabaddad2",
      plaintext: """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72
        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
        """,
      ciphertext: """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa
        8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
        """,
      tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
  ]

  /// NIST CAVP, gcmEncryptExtIV256.rsp (CAVS 14.0): [IVlen = 96], [Taglen = 128], Count = 0.
  static let validation = [
    AES256GCMVector(
      "PTlen = 0, AADlen = 128",
      key: "78dc4e0aaf52d935c3c01eea57428f00ca1fd475f5da86a49c8dd73d68c8e223",
      nonce: "d79cf22d504cc793c3fb6c8a", header: "b96baa8c1c75a671bfb2d08d06be5f36", plaintext: "",
      ciphertext: "", tag: "3e5d486aa2e30b22e040b85723a06e76"),
    AES256GCMVector(
      "PTlen = 104, AADlen = 160",
      key: "69b458f2644af9020463b40ee503cdf083d693815e2659051ae0d039e606a970",
      nonce: "8d1da8ab5f91ccd09205944b", header: "036ad5e5494ef817a8af2f5828784a4bfedd1653",
      plaintext: "f3e0e09224256bf21a83a5de8d", ciphertext: "c0a62d77e6031bfdc6b13ae217",
      tag: "a794a9aaee48cd92e47761bf1baff0af"),
    AES256GCMVector(
      "PTlen = 256, AADlen = 384",
      key: "dc776f0156c15d032623854b625c61868e5db84b7b6f9fbd3672f12f0025e0f6",
      nonce: "67130951c4a57f6ae7f13241",
      header: """
        fd0920faeb7b212932280a009bac969145e5c316cf3922622c3705c3457c4e9f
        124b2076994323fbcfb523f8ed16d241
        """,
      plaintext: "9378a727a5119595ad631b12a5a6bc8a91756ef09c8d6eaa2b718fe86876da20",
      ciphertext: "6d958c20870d401a3c1f7a0ac092c97774d451c09f7aae992a8841ff0ab9d60d",
      tag: "b876831b4ecd7242963b040aa45c4114"),
    AES256GCMVector(
      "PTlen = 408, AADlen = 720",
      key: "148579a3cbca86d5520d66c0ec71ca5f7e41ba78e56dc6eebd566fed547fe691",
      nonce: "b08a5ea1927499c6ecbfd4e0",
      header: """
        e4f963f015ffbb99ee3349bbaf7e8e8e6c2a71c230a48f9d59860a29091d2747
        e01a5ca572347e247d25f56ba7ae8e05cde2be3c97931292c02370208ecd097e
        f692687fecf2f419d3200162a6480a57dad408a0dfeb492e2c5d
        """,
      plaintext: """
        9d0b15fdf1bd595f91f8b3abc0f7dec927dfd4799935a1795d9ce00c9b879434
        420fe42c275a7cd7b39d638fb81ca52b49dc41
        """,
      ciphertext: """
        2097e372950a5e9383c675e89eea1c314f999159f5611344b298cda45e628437
        16f215f82ee663919c64002a5c198d7878fd3f
        """,
      tag: "adbecdb0d5c2224d804d2886ff9a5760"),
  ]

  /// NIST CAVP, gcmDecrypt256.rsp: [IVlen = 96], [PTlen = 128], [AADlen = 128], [Taglen = 128],
  /// Count = 2 and 4, both FAIL; the file has no plaintext for them.
  static let failing = [
    AES256GCMVector(
      "FAIL, Count = 2", key: "9a0343f850a6427120f764789ffec6d237447b898fbf51d2182f065d3861497d",
      nonce: "3deef6f453dd70d92143adcd", header: "dbb8226a624520863db6897017b2a4f8", plaintext: "",
      ciphertext: "e93165935ac18e3a2845d15fe31a9286", tag: "f5fc50d18766bc3d9e16dd136d45816b"),
    AES256GCMVector(
      "FAIL, Count = 4", key: "2a765ceac97265c15209eea90bea85cd9586b972160502ff592a306dc017e6b9",
      nonce: "62c545d9d4e3c7acb66b4bf1", header: "7d12474e23dc233bc6312d4d5b2deee4", plaintext: "",
      ciphertext: "ae0594a7b66d3a958e4e6212d3288f91", tag: "ec9aa846d185cc0f43d392240cd6e2c4"),
  ]
}
