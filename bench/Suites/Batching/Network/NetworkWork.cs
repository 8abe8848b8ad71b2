using System.Net;
using System.Net.Sockets;

namespace Raceway.Suites.Batching.Network;

/// <summary>Sends the messages of a call over a loopback connection by one write. A thread at the other end reads and checks them.</summary>
/// <remarks>A call returns when the system has taken its bytes. The round lasts until the other end says that all has arrived.</remarks>
internal sealed class NetworkWork : IBatchWork
{
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(30);

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
    private readonly Receiver _receiver;
    private readonly byte[] _answer = new byte[1];
    private byte[] _buffer = new byte[1 << 10];

    public NetworkWork()
    {
        using Socket listener = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        listener.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        listener.Listen(1);
        _socket.Connect(listener.LocalEndPoint!);
        _socket.SendTimeout = _socket.ReceiveTimeout = (int)s_longest.TotalMilliseconds;
        _receiver = new Receiver(listener.Accept());
    }

    public void Begin()
    {
    }

    public void Do(ReadOnlySpan<Job> jobs) => Send(FrameWriter.Write(jobs, ref _buffer));

    public void Complete()
    {
        Send(FrameWriter.Write(0, [], _buffer));
        if (_socket.Receive(_answer) != _answer.Length)
            throw new IOException("The receiver must answer when a round has ended: it has closed the connection instead.");
    }

    public bool Verify(long jobs) => _receiver.LastRound.IsAll(jobs);

    public void Dispose()
    {
        _socket.Dispose();
        _receiver.Dispose();
    }

    private void Send(int length)
    {
        // One write; more of them only if the system takes a part of the bytes.
        for (int sent = 0; sent < length;) sent += _socket.Send(_buffer.AsSpan(sent, length - sent));
    }
}
