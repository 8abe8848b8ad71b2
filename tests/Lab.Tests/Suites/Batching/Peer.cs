using System.Net;
using System.Net.Sockets;

namespace Raceway.Lab.Tests.Suites.Batching;

/// <summary>
/// The other end of a connection, which keeps items and acknowledges each by a byte. It resets connections as it is told to.
/// </summary>
/// <param name="visits">For each connection that it resets, what happens before.</param>
/// <param name="staysAway">Whether it takes no connection after the last of these; otherwise it keeps all that comes.</param>
internal sealed class Peer(IReadOnlyList<Peer.Visit> visits, bool staysAway) : IDisposable
{
    /// <summary>Bytes of an item.</summary>
    public const int ItemSize = sizeof(long);

    private readonly Socket _listener = Listen();
    private readonly List<List<long>> _received = [];
    private Task _serving = Task.CompletedTask;

    /// <summary>A connection that is reset.</summary>
    /// <param name="Takes">Items read.</param>
    /// <param name="Acknowledges">How many of them are acknowledged.</param>
    public sealed record Visit(int Takes, int Acknowledges);

    public IPEndPoint Address => (IPEndPoint)_listener.LocalEndPoint!;

    /// <summary>What came over each connection.</summary>
    public IReadOnlyList<IReadOnlyList<long>> Received
    {
        get
        {
            lock (_received) return [.. _received.Select(static one => one.ToArray())];
        }
    }

    /// <summary>Begins to take connections.</summary>
    /// <param name="known">How many acknowledgements the sender has seen: a reset waits for all that were sent.</param>
    public void Start(Func<long> known) => _serving = Watchdog.Run(() => Serve(known));

    public Task StoppedAsync() => _serving.OrHang();

    public void Dispose() => _listener.Dispose();

    private static Socket Listen()
    {
        Socket listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen();
        return listener;
    }

    private void Serve(Func<long> known)
    {
        long acknowledged = 0;
        foreach (Visit visit in visits)
        {
            Socket socket = _listener.Accept();
            List<long> received = Begin();
            for (int i = 0; i < visit.Takes; i++) Assert.True(TryTake(socket, received));
            socket.Send(new byte[visit.Acknowledges]);
            acknowledged += visit.Acknowledges;
            Watchdog.Until(() => known() >= acknowledged, "the sender sees the acknowledgements");
            if (visit == visits[^1] && staysAway) _listener.Dispose();
            // A reset instead of an end.
            socket.LingerState = new LingerOption(true, 0);
            socket.Dispose();
        }

        if (staysAway) return;
        using Socket last = _listener.Accept();
        List<long> rest = Begin();
        while (TryTake(last, rest)) last.Send([1]);
    }

    private List<long> Begin()
    {
        lock (_received)
        {
            _received.Add([]);
            return _received[^1];
        }
    }

    private bool TryTake(Socket socket, List<long> received)
    {
        byte[] item = new byte[ItemSize];
        for (int held = 0; held < item.Length;)
        {
            int got = socket.Receive(item.AsSpan(held));
            if (got == 0) return false;
            held += got;
        }

        lock (_received) received.Add(BitConverter.ToInt64(item));
        return true;
    }
}
