using System.Net.Sockets;

namespace Raceway.Suites.Batching.Network;

/// <summary>The other end of a connection: a thread that reads messages, and answers with a byte when a round has ended.</summary>
internal sealed class Receiver : IDisposable
{
    private readonly Socket _socket;
    private readonly Thread _thread;
    private byte[] _buffer = new byte[1 << 18];
    private Arrivals _round;

    /// <summary>Starts to read.</summary>
    /// <param name="socket">A connection; the receiver disposes it.</param>
    public Receiver(Socket socket)
    {
        _socket = socket;
        _thread = new Thread(Run) { IsBackground = true, Name = "receiver of the batching suite" };
        _thread.Start();
    }

    /// <summary>What came in the last round that has ended. Read it behind the answer.</summary>
    public Arrivals LastRound { get; private set; }

    /// <inheritdoc/>
    public void Dispose()
    {
        _socket.Dispose();
        _thread.Join();
    }

    private void Run()
    {
        try
        {
            int held = 0;
            while (_socket.Receive(_buffer.AsSpan(held)) is > 0 and int got)
            {
                held += got;
                int taken = TakeAll(_buffer.AsSpan(0, held));
                _buffer.AsSpan(taken, held - taken).CopyTo(_buffer);
                held -= taken;
            }
        }
        catch (Exception failure) when (failure is SocketException or ObjectDisposedException or InvalidDataException)
        {
            // The sender sees that the connection has ended, and its contestant is dropped with the reason.
            _socket.Dispose();
        }
    }

    private int TakeAll(ReadOnlySpan<byte> bytes)
    {
        int taken = 0;
        while (true)
        {
            taken += _round.Take(bytes[taken..], out bool isEnd);
            if (!isEnd) return taken;
            LastRound = _round;
            _round = default;
            _socket.Send([1]);
        }
    }
}
