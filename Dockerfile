# A static program in an image without a shell, that runs as a user without rights on a read-only root.
#   docker build --build-arg VERSION=$(git describe --tags --always) -t bugslice .
FROM golang:1.26-bookworm AS build
ARG VERSION=devel
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X main.version=$VERSION" -o /out/bugslice ./cmd/bugslice \
    && install -d -m 0700 -o 65532 -g 65532 /out/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /out/bugslice /usr/bin/bugslice
COPY --from=build --chown=65532:65532 /out/data /var/lib/bugslice
USER 65532:65532
ENV BUGSLICE_DATA=/var/lib/bugslice BUGSLICE_LISTEN=0.0.0.0:8080
VOLUME /var/lib/bugslice
EXPOSE 8080
HEALTHCHECK --interval=15s --timeout=6s --start-period=30s CMD ["/usr/bin/bugslice", "health"]
ENTRYPOINT ["/usr/bin/bugslice"]
CMD ["serve"]
