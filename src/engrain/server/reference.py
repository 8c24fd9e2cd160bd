"""The page that shows the OpenAPI document and sends requests: Swagger UI, all of it served from here."""

from __future__ import annotations

from importlib.resources import files

from fastapi import FastAPI, Request, Response

PAGE = "/docs"

_HTML = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Engrain: REST</title><link rel="stylesheet" href="docs/swagger-ui.css"></head>
<body><div id="ui"></div><script src="docs/swagger-ui-bundle.js"></script><script src="docs/start.js"></script></body>
</html>
"""
_START = 'SwaggerUIBundle({url: "openapi.json", dom_id: "#ui", validatorUrl: null, deepLinking: true});\n'
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}
_TYPES = {"swagger-ui-bundle.js": "text/javascript", "swagger-ui.css": "text/css"}


def add_reference(app: FastAPI) -> None:
    """Add the page and its files, which are kept compressed."""

    async def page(request: Request) -> Response:
        return Response(_HTML, media_type="text/html", headers=_HEADERS)

    async def start(request: Request) -> Response:
        return Response(_START, media_type="text/javascript", headers=_HEADERS)

    async def kept(request: Request) -> Response:
        name = request.url.path.rpartition("/")[2]
        content = files("engrain.server").joinpath("swagger", f"{name}.gz").read_bytes()
        headers = {**_HEADERS, "Content-Encoding": "gzip", "Cache-Control": "max-age=86400"}
        return Response(content, media_type=_TYPES[name], headers=headers)

    app.add_route(PAGE, page, include_in_schema=False)
    app.add_route(f"{PAGE}/start.js", start, include_in_schema=False)
    for name in _TYPES:
        app.add_route(f"{PAGE}/{name}", kept, include_in_schema=False)
