import base64, hashlib, hmac, time

def verified(secret, headers, body):
    id, sent = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(sent)) > 300:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    mac = hmac.new(key, f"{id}.{sent}.".encode() + body, hashlib.sha256)
    want = b"v1," + base64.b64encode(mac.digest())
    return any(hmac.compare_digest(given.encode(), want) for given in headers["webhook-signature"].split())
