using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>A TLS listener in front of a node, with a certificate of the test's making.</summary>
internal sealed class TlsProxy : IAsyncDisposable
{
    private readonly string[] _target = BrokerFactAttribute.Nodes[0].Split(':');
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _ended = new();
    private readonly X509Certificate2 _certificate;
    private readonly Task _accepting;

    public TlsProxy(X509Certificate2 certificate)
    {
        _certificate = certificate;
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public string Node => $"127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}";

    /// <summary>An authority that no system trusts.</summary>
    public static X509Certificate2 Authority()
    {
        using var key = RSA.Create(2048);
        var request = new CertificateRequest("CN=tests", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        request.CertificateExtensions.Add(new X509BasicConstraintsExtension(true, false, 0, true));
        return request.CreateSelfSigned(DateTimeOffset.UtcNow.AddDays(-30), DateTimeOffset.UtcNow.AddDays(30));
    }

    /// <summary>A node's certificate by that authority.</summary>
    public static X509Certificate2 Certificate(X509Certificate2 authority, IPAddress address, int endsInDays)
    {
        using var key = RSA.Create(2048);
        var request = new CertificateRequest("CN=node", key, HashAlgorithmName.SHA256, RSASignaturePadding.Pkcs1);
        var names = new SubjectAlternativeNameBuilder();
        names.AddIpAddress(address);
        request.CertificateExtensions.Add(names.Build());
        using X509Certificate2 signed = request.Create(
            authority, DateTimeOffset.UtcNow.AddDays(-20), DateTimeOffset.UtcNow.AddDays(endsInDays), [1, 2, 3]);
        using X509Certificate2 whole = signed.CopyWithPrivateKey(key);
        return X509CertificateLoader.LoadPkcs12(whole.Export(X509ContentType.Pfx), null);
    }

    public async ValueTask DisposeAsync()
    {
        await _ended.CancelAsync();
        _listener.Stop();
        await _accepting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private async Task AcceptAsync()
    {
        while (true) _ = ServeAsync(await _listener.AcceptSocketAsync(_ended.Token));
    }

    private async Task ServeAsync(Socket near)
    {
        try
        {
            await using var tls = new SslStream(new NetworkStream(near, ownsSocket: true));
            await tls.AuthenticateAsServerAsync(
                new SslServerAuthenticationOptions { ServerCertificate = _certificate }, _ended.Token);
            using var far = new Socket(SocketType.Stream, ProtocolType.Tcp);
            await far.ConnectAsync(_target[0], int.Parse(_target[1], null), _ended.Token);
            await using var plain = new NetworkStream(far);
            await Task.WhenAny(tls.CopyToAsync(plain, _ended.Token), plain.CopyToAsync(tls, _ended.Token));
        }
        catch (Exception refused) when (refused is IOException or AuthenticationException or SocketException or OperationCanceledException)
        {
            // As it is meant.
        }
    }
}
