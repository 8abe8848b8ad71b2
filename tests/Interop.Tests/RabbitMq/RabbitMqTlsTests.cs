using System.Net;
using System.Security.Cryptography.X509Certificates;
using Raceway.Interop.Distributed;
using Raceway.Interop.RabbitMq;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>Encrypted connections: only the certificate that is right is taken.</summary>
[Trait("Category", "Broker")]
[Collection(Broker.Collection)]
public sealed class RabbitMqTlsTests
{
    private static readonly X509Certificate2 s_authority = TlsProxy.Authority();

    [BrokerFact]
    public async Task Tls_RightCertificate_LinkWorks()
    {
        await using var proxy = new TlsProxy(TlsProxy.Certificate(s_authority, IPAddress.Loopback, 10));
        await using var job = new RabbitJob(partitions: 2, options => Options(options, proxy));
        await job.StartSendingAsync();
        await job.StartWorkerAsync();
        await job.FeedAsync(10_000);
        await job.FinishAsync(10_000);
        Assert.Equal(10_000, job.Sink.Writes);
    }

    [BrokerFact]
    public Task Tls_CertificateOfAnotherName_IsRefused() =>
        RefusesAsync(TlsProxy.Certificate(s_authority, IPAddress.Parse("127.0.0.2"), 10));

    [BrokerFact]
    public Task Tls_CertificateHasExpired_IsRefused() =>
        RefusesAsync(TlsProxy.Certificate(s_authority, IPAddress.Loopback, -10));

    [BrokerFact]
    public async Task Tls_CertificateOfAnotherAuthority_IsRefused()
    {
        using X509Certificate2 other = TlsProxy.Authority();
        await RefusesAsync(TlsProxy.Certificate(other, IPAddress.Loopback, 10));
    }

    [BrokerFact]
    public Task Tls_AuthorityTheSystemDoesNotTrust_IsRefusedUnlessItIsNamed() =>
        RefusesAsync(TlsProxy.Certificate(s_authority, IPAddress.Loopback, 10), static options => options with { Authorities = [] });

    private static async Task RefusesAsync(
        X509Certificate2 certificate, Func<RabbitMqOptions, RabbitMqOptions>? configure = null)
    {
        await using var proxy = new TlsProxy(certificate);
        RabbitMqOptions options = Options(new RabbitMqOptions { Password = "very-secret" }, proxy);
        await using var transport = new RabbitMqTransport(configure?.Invoke(options) ?? options);
        LinkTransportException refused = await Assert.ThrowsAsync<LinkTransportException>(
            async () => await transport.OpenSenderAsync(new LinkAddress("test.tls", 1)).OrHang());
        // Not for the account, which is wrong: it must not have been sent.
        Assert.Contains("AuthenticationException", refused.ToString(), StringComparison.Ordinal);
        Assert.Contains("certificate", refused.Message, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain("very-secret", refused.ToString(), StringComparison.Ordinal);
    }

    private static RabbitMqOptions Options(RabbitMqOptions options, TlsProxy proxy) =>
        options with { Nodes = [proxy.Node], UseTls = true, Authorities = [s_authority] };
}
