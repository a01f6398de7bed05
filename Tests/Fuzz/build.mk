# How the fuzz targets are built: run.sh calls it. OUT is where to, OPTIMIZATION -O or -Onone.

TARGETS := BinaryList XMLList OpenStepList KeyedArchive TypedStream ItemJSON Attributes Record Header Frame Archive
LIST_TARGETS := BinaryList XMLList OpenStepList KeyedArchive TypedStream
MODULES := ByteCoding PropertyListCodec ArchiveCrypto ArchiveContainer KeychainModel KeychainArchive \
  KeychainInterchange TestSupport
objects = $(patsubst %,$(OUT)/%.o,$(1))

# Line tables only: with more, what -Onone makes of a module has two files of one name.
SWIFTC := swiftc $(OPTIMIZATION) -gline-tables-only -wmo -parse-as-library -sanitize=fuzzer -swift-version 6 -enable-testing \
  -package-name kcarchive -I $(OUT) $(patsubst %,-I Sources/%,COpenSSL CArgon2 CZlib CLinux) \
  -enable-experimental-feature Lifetimes -enable-upcoming-feature ExistentialAny \
  -enable-upcoming-feature InternalImportsByDefault -enable-upcoming-feature MemberImportVisibility

.PHONY: $(TARGETS)
.DELETE_ON_ERROR:

# What each module imports.
$(call objects,PropertyListCodec ArchiveCrypto): $(OUT)/ByteCoding.o
$(OUT)/ArchiveContainer.o: $(OUT)/ArchiveCrypto.o
$(OUT)/KeychainModel.o: $(OUT)/ByteCoding.o
$(OUT)/KeychainArchive.o: $(call objects,ArchiveContainer KeychainModel)
$(OUT)/KeychainInterchange.o: $(call objects,KeychainArchive PropertyListCodec)
$(OUT)/TestSupport.o: $(OUT)/ArchiveContainer.o
$(OUT)/TestSupport.o: private SWIFTC += -D DEBUG

define module
$(OUT)/$(1).o: $$(shell find $(2) -name '*.swift')
	$$(SWIFTC) -module-name $(1) -emit-module -emit-module-path $(OUT)/$(1).swiftmodule -c -o $$@ \
	  $$(filter %.swift,$$^)
endef
$(foreach name,$(filter-out TestSupport,$(MODULES)),$(eval $(call module,$(name),Sources/$(name))))
$(eval $(call module,TestSupport,Tests/TestSupport))

$(TARGETS): %: $(OUT)/%
$(patsubst %,$(OUT)/%,$(LIST_TARGETS)): Tests/Fuzz/ListReading.swift
$(patsubst %,$(OUT)/%,$(filter-out $(LIST_TARGETS),$(TARGETS))): Tests/Fuzz/ArchiveScript.swift
$(patsubst %,$(OUT)/%,$(TARGETS)): $(OUT)/%: Tests/Fuzz/%Target.swift $(call objects,$(MODULES))
	$(SWIFTC) -module-name Fuzz$* $^ -lcrypto -largon2 -lz -o $@
