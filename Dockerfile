# The service (docs/serve.md), for a user without privileges.
#     docker build -t sqljury .
#     docker run -p 127.0.0.1:8000:8000 -e SQLJURY_SERVE_TOKEN -v "$PWD/databases:/databases:ro" sqljury
FROM python:3.12-slim
COPY pyproject.toml README.md LICENSE /source/
COPY src /source/src
RUN pip install --no-cache-dir "/source[serve,prove]" \
    && rm -r /source \
    && useradd --system --no-create-home --shell /usr/sbin/nologin sqljury
USER sqljury
WORKDIR /tmp
EXPOSE 8000
HEALTHCHECK CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/health')"]
ENTRYPOINT ["sqljury", "serve", "--host", "0.0.0.0"]
CMD ["--databases", "/databases"]
