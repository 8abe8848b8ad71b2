using System.Globalization;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using RabbitMQ.Client;

namespace Raceway.Interop.RabbitMq;

/// <summary>Where the broker is, and what is asked of it. Immutable; its text leaves the password out.</summary>
public sealed record RabbitMqOptions
{
    // A broker that is short of disk or has just lost a node takes long to declare a queue, and does it.
    private static readonly TimeSpan s_longestAnswer = TimeSpan.FromSeconds(60);

    /// <summary>The nodes of the cluster, "host:port" each: the first that answers is used, another when it fails.</summary>
    /// <value>Default: localhost:5672.</value>
    public IReadOnlyList<string> Nodes { get; init; } = ["localhost:5672"];

    /// <summary>Whose account.</summary>
    /// <value>Default guest, which the broker lets in from its own machine only.</value>
    public string UserName { get; init; } = "guest";

    /// <summary>Its password: never part of a text, an event or an exception.</summary>
    public string Password { get; init; } = "guest";

    /// <summary>The broker's virtual host.</summary>
    /// <value>Default "/".</value>
    public string VirtualHost { get; init; } = "/";

    /// <summary>Whether connections are encrypted, and the node's certificate checked.</summary>
    /// <value>Default false.</value>
    public bool UseTls { get; init; }

    /// <summary>The authorities that a node's certificate must come from, with <see cref="UseTls"/>.</summary>
    /// <value>Default: none; then those that the system trusts. The name in the certificate must be the node's in either case,
    /// and revocation is not looked up.</value>
    public IReadOnlyList<X509Certificate2> Authorities { get; init; } = [];

    /// <summary>On how many nodes each partition is kept: a confirm means that most of them have it.</summary>
    /// <value>1, 3 or 5. Default 3; a cluster that has fewer nodes uses those.</value>
    public int Replicas { get; init; } = 3;

    /// <summary>Bytes of a partition's frames above which the broker refuses more, and the sending ring fills.</summary>
    /// <value>Default 64 MB.</value>
    public long MaxQueueBytes { get; init; } = 64 * 1024 * 1024;

    /// <summary>How often a frame may be delivered again, after workers that died with it, before it is parked.</summary>
    /// <value>Default 20.</value>
    public int DeliveryLimit { get; init; } = 20;

    /// <summary>After about twice this without a sign of the broker a connection is given up.</summary>
    /// <value>Default 10 s.</value>
    public TimeSpan Heartbeat { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>After this without a confirm the connection is given up, and the frame sent over another: receivers drop what
    /// comes twice. Counted anew where the broker has said meanwhile that it takes nothing.</summary>
    /// <value>1 s or more. Default 30 s. <see cref="Timeout.InfiniteTimeSpan"/>: a confirm that a broker has lost is waited for
    /// without end.</value>
    public TimeSpan ConfirmTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>What the broker's lists call this process.</summary>
    /// <value>Default: raceway and the machine's name and the process's number.</value>
    public string ClientName { get; init; } = $"raceway {Environment.MachineName} {Environment.ProcessId}";

    /// <summary>Told of connections lost and made, and of a broker that takes nothing.</summary>
    /// <value>Called for one event after the other, in their order, on threads of the client, of the pool or of who sends; it
    /// must not block: what comes later waits for it. Default: nobody.</value>
    public Action<Distributed.LinkEvent>? OnEvent { get; init; }

    /// <summary>Nodes, account and virtual host.</summary>
    public override string ToString() =>
        $"{UserName}@{string.Join(",", Nodes.Select(RabbitMqErrors.Shown))}, virtualHost='{VirtualHost}'";

    internal RabbitMqOptions Checked()
    {
        if (Nodes.Count == 0) throw RabbitMqErrors.Nodes(RabbitMqErrors.NoNode);
        foreach (string node in Nodes) _ = EndpointOf(node);
        if (Replicas is < 1 or > 5 || Replicas % 2 == 0) throw RabbitMqErrors.Replicas(Replicas);
        if (MaxQueueBytes < 1024) throw RabbitMqErrors.QueueBytes(MaxQueueBytes);
        if (DeliveryLimit < 1) throw RabbitMqErrors.DeliveryLimit(DeliveryLimit);
        if (Heartbeat < TimeSpan.FromSeconds(1)) throw RabbitMqErrors.Heartbeat(Heartbeat);
        bool isTime = ConfirmTimeout >= TimeSpan.FromSeconds(1) && ConfirmTimeout <= TimeSpan.FromDays(49);
        if (!isTime && ConfirmTimeout != Timeout.InfiniteTimeSpan) throw RabbitMqErrors.ConfirmTimeout(ConfirmTimeout);
        return this;
    }

    /// <summary>A connection to one of the nodes. The client's own recovery is off: see <see cref="RabbitMqPort"/>.</summary>
    internal Task<IConnection> ConnectAsync(CancellationToken cancellation)
    {
        var factory = new ConnectionFactory
        {
            UserName = UserName,
            Password = Password,
            VirtualHost = VirtualHost,
            ClientProvidedName = ClientName,
            AutomaticRecoveryEnabled = false,
            TopologyRecoveryEnabled = false,
            RequestedHeartbeat = Heartbeat,
            ContinuationTimeout = s_longestAnswer,
            ConsumerDispatchConcurrency = 1,
        };
        AmqpTcpEndpoint[] endpoints =
        [
            .. Nodes.Select(EndpointOf).Select(node => new AmqpTcpEndpoint(node.Host, node.Port)
            {
                Ssl = Tls(node.Host),
            }),
        ];
        // Another order each time, so that processes spread over the nodes.
        Random.Shared.Shuffle(endpoints);
        return factory.CreateConnectionAsync(endpoints, cancellation);
    }

    private SslOption Tls(string host)
    {
        var tls = new SslOption(host, enabled: UseTls);
        if (Authorities.Count > 0) tls.CertificateValidationCallback = IsTrusted;
        return tls;
    }

    private bool IsTrusted(object sender, X509Certificate? certificate, X509Chain? sent, SslPolicyErrors errors)
    {
        // The chain is looked at below, with our authorities.
        if ((errors & ~SslPolicyErrors.RemoteCertificateChainErrors) != 0 || certificate is null) return false;
        using var chain = new X509Chain();
        chain.ChainPolicy.TrustMode = X509ChainTrustMode.CustomRootTrust;
        chain.ChainPolicy.RevocationMode = X509RevocationMode.NoCheck;
        chain.ChainPolicy.CustomTrustStore.AddRange(Authorities.ToArray());
        foreach (X509ChainElement one in sent?.ChainElements ?? Enumerable.Empty<X509ChainElement>())
            chain.ChainPolicy.ExtraStore.Add(one.Certificate);
        using var node = new X509Certificate2(certificate);
        return chain.Build(node);
    }

    internal static (string Host, int Port) EndpointOf(string node) =>
        IsEndpoint(node, out string host, out ushort port) ? (host, port) : throw RabbitMqErrors.Nodes(node);

    internal static bool IsEndpoint(string? node, out string host, out ushort port)
    {
        int colon = node?.LastIndexOf(':') ?? -1;
        host = colon > 0 ? node![..colon] : "";
        port = 0;
        return Uri.CheckHostName(host) != UriHostNameType.Unknown
            && ushort.TryParse(node.AsSpan(colon + 1), NumberStyles.None, CultureInfo.InvariantCulture, out port) && port > 0;
    }
}
