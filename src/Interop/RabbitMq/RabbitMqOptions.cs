using System.Globalization;
using System.Net.Security;
using System.Security.Cryptography.X509Certificates;
using RabbitMQ.Client;

namespace Raceway.Interop.RabbitMq;

/// <summary>Where the broker is, and what is asked of it. Immutable; its text leaves the password out.</summary>
public sealed record RabbitMqOptions
{
    // What a broker may hold at most: a message that the client refuses would end its connection, again and again.
    private const uint LargestMessage = 512 * 1024 * 1024;

    /// <summary>Of a channel by which little is written, each message waited for.</summary>
    internal static readonly CreateChannelOptions Confirmed = new(
        publisherConfirmationsEnabled: true, publisherConfirmationTrackingEnabled: true);

    private static readonly TimeSpan s_shortestConnect = TimeSpan.FromMilliseconds(100);

    // A broker that is short of disk or has just lost a node takes long to declare a queue, and does it.
    private static readonly TimeSpan s_longestAnswer = TimeSpan.FromSeconds(60);

    /// <summary>The nodes of the cluster, "host:port" each: the first that answers is used, another when it fails.</summary>
    /// <value>Default: localhost:5672.</value>
    public IReadOnlyList<string> Nodes { get; init; } = ["localhost:5672"];

    /// <summary>The account to log in with.</summary>
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

    /// <summary>How many workers may end with a frame, after the first one, before the frame is parked.</summary>
    /// <remarks>
    /// A lost connection does not count. The broker counts all deliveries. A frame with half of this limit is suspect: its worker
    /// writes its own name down at the broker, and hands the frame out alone. Only workers that ended with it alone count from
    /// there on. A worker is taken for ended if the broker has had no connection of it for three heartbeats.
    /// </remarks>
    /// <value>Default 20. With more workers than this, all cut off at once, a frame may be parked for no fault of its own.</value>
    public int DeliveryLimit { get; init; } = 20;

    /// <summary>After about twice this without a sign of the broker a connection is given up.</summary>
    /// <value>Default 10 s.</value>
    public TimeSpan Heartbeat { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long one node may take to answer: TCP, TLS, the protocol's handshake and a channel. Then the next is tried;
    /// a call that opens tries late ones again, within <see cref="OpenTimeout"/>.</summary>
    /// <value>100 ms or more. Default 10 s.</value>
    public TimeSpan ConnectTimeout { get; init; } = TimeSpan.FromSeconds(10);

    /// <summary>How long a call that opens a link, or looks after parked frames, may take, over all nodes. Then it fails.</summary>
    /// <remarks>Also the limit of what one node has to do when a lost connection is made again: to declare queues, and to give a
    /// sender its lease, for which that may wait two heartbeats and 5 s.</remarks>
    /// <value>At least <see cref="ConnectTimeout"/>. Default 2 minutes: a cluster that has just lost a node is slow to declare
    /// a queue.</value>
    public TimeSpan OpenTimeout { get; init; } = TimeSpan.FromMinutes(2);

    /// <summary>After this without a confirm the connection is given up, and the frame sent over another: receivers drop what
    /// comes twice. Counted anew where the broker has said meanwhile that it takes nothing.</summary>
    /// <value>1 s or more. Default 30 s. <see cref="Timeout.InfiniteTimeSpan"/>: a confirm that a broker has lost is waited for
    /// without end.</value>
    public TimeSpan ConfirmTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>What the broker's lists call this process.</summary>
    /// <value>Default: raceway and the machine's name and the process's number.</value>
    public string ClientName { get; init; } = $"raceway {Environment.MachineName} {Environment.ProcessId}";

    /// <summary>Told of connections lost and made, and of a broker that takes nothing.</summary>
    /// <value>Called for one event after the other, in their order, on threads of the client, of the pool or of the sender; it
    /// must not block: what comes later waits for it. Default: no listener.</value>
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
        if (ConnectTimeout < s_shortestConnect || ConnectTimeout > TimeSpan.FromDays(1)) throw RabbitMqErrors.ConnectTimeout(ConnectTimeout);
        if (OpenTimeout < ConnectTimeout || OpenTimeout > TimeSpan.FromDays(1)) throw RabbitMqErrors.OpenTimeout(OpenTimeout, ConnectTimeout);
        bool isTime = ConfirmTimeout >= TimeSpan.FromSeconds(1) && ConfirmTimeout <= TimeSpan.FromDays(49);
        if (!isTime && ConfirmTimeout != Timeout.InfiniteTimeSpan) throw RabbitMqErrors.ConfirmTimeout(ConfirmTimeout);
        return this;
    }

    /// <summary>The nodes in another order each time, so that processes spread over them.</summary>
    internal string[] Shuffled()
    {
        string[] nodes = [.. Nodes];
        Random.Shared.Shuffle(nodes);
        return nodes;
    }

    /// <summary>A connection to a node, within <see cref="ConnectTimeout"/>. The client's own recovery is off: see
    /// <see cref="RabbitMqPort"/>.</summary>
    internal async Task<IConnection> ConnectAsync(string node, CancellationToken cancellation)
    {
        (string host, int port) = EndpointOf(node);
        var factory = new ConnectionFactory
        {
            UserName = UserName,
            Password = Password,
            VirtualHost = VirtualHost,
            ClientProvidedName = ClientName,
            AutomaticRecoveryEnabled = false,
            TopologyRecoveryEnabled = false,
            RequestedHeartbeat = Heartbeat,
            RequestedConnectionTimeout = ConnectTimeout,
            HandshakeContinuationTimeout = ConnectTimeout,
            ContinuationTimeout = s_longestAnswer,
            ConsumerDispatchConcurrency = 1,
            MaxInboundMessageBodySize = LargestMessage,
        };
        var endpoint = new AmqpTcpEndpoint(host, port, Tls(host), LargestMessage);
        // Not by a token: a client that is cancelled while a node hangs says a long goodbye to it first.
        Task<IConnection> connecting = Task.Run(() => factory.CreateConnectionAsync([endpoint], CancellationToken.None), CancellationToken.None);
        try
        {
            return await connecting.WaitAsync(ConnectTimeout, cancellation).ConfigureAwait(false);
        }
        catch
        {
            _ = AbandonAsync(connecting);
            throw;
        }
    }

    // It may have been made a moment later.
    private static async Task AbandonAsync(Task<IConnection> connecting)
    {
        try
        {
            IConnection late = await connecting.ConfigureAwait(false);
            await late.DisposeAsync().ConfigureAwait(false);
        }
        catch (Exception)
        {
            // It was not made, or broke: nothing is left of it.
        }
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
