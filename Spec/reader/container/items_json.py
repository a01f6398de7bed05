"""Items as the command line's JSON: Spec/cli.md, "Items as JSON"."""

import base64
import datetime
import decimal
import struct
import unicodedata

NAMES = {
    "clas": "class",
    "mtim": "modificationTime",
    "fkin": "kind",
    "cdat": "created",
    "mdat": "modified",
    "labl": "label",
    "alis": "alias",
    "agrp": "accessGroup",
    "pdmn": "accessible",
    "accc": "accessControl",
    "sync": "synchronizable",
    "vwht": "syncViewHint",
    "tkid": "tokenID",
    "desc": "description",
    "icmt": "comment",
    "crtr": "creator",
    "type": "type",
    "scrp": "scriptCode",
    "invi": "isInvisible",
    "nega": "isNegative",
    "acct": "account",
    "svce": "service",
    "gena": "generic",
    "sdmn": "securityDomain",
    "srvr": "server",
    "ptcl": "protocol",
    "atyp": "authenticationType",
    "port": "port",
    "path": "path",
    "ctyp": "certificateType",
    "cenc": "certificateEncoding",
    "subj": "subject",
    "issr": "issuer",
    "slnr": "serialNumber",
    "skid": "subjectKeyID",
    "pkhh": "publicKeyHash",
    "kcls": "keyClass",
    "klbl": "applicationLabel",
    "atag": "applicationTag",
    "bsiz": "keySizeInBits",
    "esiz": "effectiveKeySize",
    "sdat": "startDate",
    "edat": "endDate",
    "perm": "isPermanent",
    "sens": "isSensitive",
    "extr": "isExtractable",
    "encr": "canEncrypt",
    "decr": "canDecrypt",
    "drve": "canDerive",
    "sign": "canSign",
    "vrfy": "canVerify",
    "wrap": "canWrap",
    "unwp": "canUnwrap",
}


def date_text(seconds):
    """RFC 3339 with as many digits as the number needs; None outside the years 1 to 9999."""
    try:
        exact = decimal.Decimal(repr(seconds))
        whole = int(exact.to_integral_value(decimal.ROUND_FLOOR))
        moment = datetime.datetime(2001, 1, 1) + datetime.timedelta(seconds=whole)
    except (OverflowError, ValueError, decimal.InvalidOperation):
        return None
    with decimal.localcontext() as context:
        context.prec = 400
        fraction = format(abs(exact - whole), "f")[1:].rstrip("0").rstrip(".")
    return moment.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0") + fraction + "Z"


def attribute_json(kind, value):
    if kind == 1:
        return value.decode()
    if kind == 3:
        return int.from_bytes(value, "little", signed=True)
    if kind == 5:
        return value[0] == 1
    if kind in (4, 6):
        real = struct.unpack("<d", value)[0]
        text = date_text(real) if kind == 4 else None
        if text is not None:
            return text
        if real - real == 0:  # finite
            return real
    plain = {"base64": base64.b64encode(value).decode()}
    return plain if kind == 2 else {"type": kind, **plain}


def item_json(item, value):
    out = {"class": ""}
    for key, (kind, content) in item.attributes.items():
        out[NAMES.get(key, key)] = attribute_json(kind, content)
    if value is not None:
        try:
            text = value.decode()
            plain = all(c in "\t\n\r" or unicodedata.category(c) != "Cc" for c in text)
        except UnicodeDecodeError:
            plain = False
        out["value"] = {"utf8": text} if plain else {"base64": base64.b64encode(value).decode()}
    if item.outdated:
        out["mayBeOutdated"] = True
    return out
