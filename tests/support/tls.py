"""A certificate for 127.0.0.1 that nobody trusts unless told to, and a proxy that tunnels."""

import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def self_signed(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """A certificate file, and what a server needs to show that certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    public, private = folder / "certificate.pem", folder / "key.pem"
    public.write_bytes(certificate.public_bytes(pem))
    plain = serialization.NoEncryption()
    private.write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(public, private)
    return public, context


@contextmanager
def tunnel() -> Iterator[tuple[str, list[str]]]:
    """Address of a CONNECT proxy on loopback, and the first lines of the requests it gets."""
    asked: list[str] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                near, _ = listener.accept()
                threading.Thread(target=_connect, args=(near, asked), daemon=True).start()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield f"127.0.0.1:{listener.getsockname()[1]}", asked
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join(10)


def _connect(near: socket.socket, asked: list[str]) -> None:
    head = b""
    while b"\r\n\r\n" not in head:
        head += near.recv(4096)
    line = head.split(b"\r\n", 1)[0].decode()
    asked.append(line)
    host, port = line.split()[1].rsplit(":", 1)
    with near, socket.create_connection((host, int(port))) as far:
        near.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        back = threading.Thread(target=_pipe, args=(far, near), daemon=True)
        back.start()
        _pipe(near, far)
        back.join(10)


def _pipe(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
