using System.Net;
using System.Net.Sockets;

namespace Raceway.Interop.Tests.RabbitMq;

/// <summary>A way to the broker that can be cut, and mended, without a word to the broker.</summary>
internal sealed class Proxy : IAsyncDisposable
{
    private readonly string[] _target;
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _ended = new();
    private readonly List<Socket> _sockets = [];
    private readonly Task _accepting;
    private int _accepted;
    private int _silent;
    private bool _isCut;
    private bool _isHung;

    public Proxy(int node = 0)
    {
        _target = BrokerFactAttribute.Nodes[node].Split(':');
        _listener.Start();
        _accepting = AcceptAsync();
    }

    public string Node => $"127.0.0.1:{((IPEndPoint)_listener.LocalEndpoint).Port}";

    /// <summary>Ends all connections, and every new one at once.</summary>
    public void Cut()
    {
        lock (_sockets)
        {
            _isCut = true;
            foreach (Socket one in _sockets) one.Close(0);
            _sockets.Clear();
        }
    }

    /// <summary>From now on nothing comes back on the connections that there are; later ones are well.</summary>
    public void Silence()
    {
        lock (_sockets) _silent = _accepted;
    }

    /// <summary>Ends all connections; new ones are accepted, and nothing comes back on them.</summary>
    public void Hang()
    {
        Cut();
        lock (_sockets) (_isCut, _isHung) = (false, true);
    }

    /// <summary>Connections that were accepted while it hung.</summary>
    public int Hung { get; private set; }

    public void Mend()
    {
        lock (_sockets) (_isCut, _isHung) = (false, false);
    }

    public async ValueTask DisposeAsync()
    {
        await _ended.CancelAsync();
        _listener.Stop();
        Cut();
        await _accepting.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
    }

    private async Task AcceptAsync()
    {
        while (true)
        {
            Socket near = await _listener.AcceptSocketAsync(_ended.Token);
            var far = new Socket(SocketType.Stream, ProtocolType.Tcp);
            try
            {
                await far.ConnectAsync(_target[0], int.Parse(_target[1], null), _ended.Token);
            }
            catch (SocketException)
            {
                // The node is down: so is this, to whoever came by it.
                near.Close(0);
                continue;
            }

            int number;
            lock (_sockets)
            {
                number = _accepted++;
                if (_isCut)
                {
                    near.Close(0);
                    far.Close(0);
                    continue;
                }

                _sockets.AddRange([near, far]);
                if (_isHung)
                {
                    Hung++;
                    continue;
                }
            }

            _ = CopyAsync(near, far, static () => false);
            _ = CopyAsync(far, near, () => number < Volatile.Read(ref _silent));
        }
    }

    private static async Task CopyAsync(Socket from, Socket to, Func<bool> isSilent)
    {
        var buffer = new byte[64 * 1024];
        try
        {
            while (await from.ReceiveAsync(buffer) is > 0 and int count)
            {
                if (isSilent()) continue;
                for (int sent = 0; sent < count;) sent += await to.SendAsync(buffer.AsMemory(sent, count - sent));
            }
        }
        catch (Exception cut) when (cut is SocketException or ObjectDisposedException)
        {
            // As it is meant.
        }

        from.Close(0);
        to.Close(0);
    }
}
