#!/usr/bin/env python3
"""Serves a folder over TLS on a free loopback port. Prints the port, then a line for each request: the path, and the
name in the client's certificate, or a hyphen without one.

    serve_tls.py FOLDER IDENTITY AUTHORITY required|optional

IDENTITY has the server's certificate and key. Client certificates must be signed by AUTHORITY. A request for
/to?ADDRESS is redirected to ADDRESS. The answer to /connection is a number that differs between connections.
"""

import functools
import http.server
import ssl
import sys

folder, identity, authority, need = sys.argv[1:]


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        shown = self.connection.getpeercert() or {}
        names = [value for part in shown.get("subject", ()) for key, value in part if key == "commonName"]
        print(self.path, *(names or ["-"]), flush=True)
        if self.path == "/connection":
            return self.answer(str(self.client_address[1]).encode())
        if not self.path.startswith("/to?"):
            return super().do_GET()
        self.send_response(302)
        self.send_header("Location", self.path.removeprefix("/to?"))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def answer(self, body):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, *_):
        """Ignores errors: clients that are refused are part of the tests."""


context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(identity)
context.load_verify_locations(authority)
context.verify_mode = ssl.CERT_REQUIRED if need == "required" else ssl.CERT_OPTIONAL
server = Server(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
# Leaves the handshake to the connection's thread.
server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_address[1], flush=True)
server.serve_forever()
