using System.Net;
using System.Net.Sockets;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Lab.Tests.Suites.Batching;

/// <summary>A connection that is reset in the middle of a batch, with a handler as a user would write it.</summary>
/// <remarks>
/// The protocol has acknowledgements, so nothing is lost. What was sent and not acknowledged is sent again: the other end may
/// have it already, and tells it by its number. Without acknowledgements a handler could not know what arrived: it would lose
/// what lay in the buffers of the connection, or send twice what had left them.
/// </remarks>
public sealed class SocketResetTests
{
    private const int Items = 1_000;
    private const int Batch = 256;
    private const int Taken = 100;
    private const int Acknowledged = 40;

    [Fact]
    public async Task Reset_InTheMiddleOfABatch_SendsAgainWhatWasNotAcknowledged()
    {
        using var peer = new Peer([new(Taken, Acknowledged), new(60, 0), new(5, 5)], staysAway: false);
        using var sender = new Sender(peer.Address);
        await using Pipeline<long> pipeline = Define(sender, FaultPolicy.Retry(5, TimeSpan.FromMilliseconds(1))).Build();
        using SingleProducer<long> producer = pipeline.CreateProducer();
        for (long item = 0; item < Items; item++) producer.Publish(item);
        peer.Start(() => pipeline["send"].Position + 1);
        await pipeline.StartAsync();

        DrainResult drained = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();
        StageStatistics seen = pipeline["send"].GetStatistics();
        sender.Dispose();
        await peer.StoppedAsync();

        Assert.True(drained.IsDrained);
        Assert.Equal((3L, 3L, 0L, (long)Items), (seen.Faults, seen.Retries, seen.Skipped, seen.Items));
        IReadOnlyList<IReadOnlyList<long>> received = peer.Received;
        Assert.Equal(4, received.Count);
        // What was acknowledged over one connection is not sent over the next, and nothing is left out between them.
        Assert.Equal(Numbers(0, Taken), received[0]);
        Assert.Equal(Numbers(Acknowledged, 60), received[1]);
        Assert.Equal(Numbers(Acknowledged, 5), received[2]);
        Assert.Equal(Numbers(Acknowledged + 5, Items - Acknowledged - 5), received[3]);
    }

    [Fact]
    public async Task Reset_PeerStaysAway_FaultsThePipelineAndTellsTheProducer()
    {
        using var peer = new Peer([new(Taken, Acknowledged)], staysAway: true);
        using var sender = new Sender(peer.Address);
        await using Pipeline<long> pipeline = Define(sender, FaultPolicy.Retry(3, TimeSpan.FromMilliseconds(1))).Build();
        using SingleProducer<long> producer = pipeline.CreateProducer();
        for (long item = 0; item < Items; item++) producer.Publish(item);
        peer.Start(() => pipeline["send"].Position + 1);
        await pipeline.StartAsync();

        // It fills the ring, and waits for room that never comes.
        Task publishing = Watchdog.Run(() =>
        {
            for (long item = Items; ; item++) producer.Publish(item);
        });
        var told = await Assert.ThrowsAsync<RingFaultedException>(() => publishing.OrHang());
        var fault = await Assert.ThrowsAsync<RingFaultedException>(() => pipeline.Completion.OrHang());
        await peer.StoppedAsync();

        Assert.Same(fault.InnerException, told.InnerException);
        Assert.Equal("send", fault.Stage);
        Assert.Equal(SocketError.ConnectionRefused, Assert.IsType<SocketException>(fault.InnerException).SocketErrorCode);
        Assert.Contains("'send'", told.Message, StringComparison.Ordinal);
        Assert.Contains(fault.InnerException.Message, told.Message, StringComparison.Ordinal);
        Assert.Equal(Acknowledged - 1, pipeline["send"].Position);
        StageStatistics seen = pipeline["send"].GetStatistics();
        Assert.Equal((4L, 3L, 0L), (seen.Faults, seen.Retries, seen.Skipped));
        Assert.True(pipeline.Unprocessed >= Items - Acknowledged);
    }

    [Fact]
    public async Task Reset_PeerStaysAway_DeadLettersEachItemThatWasNotAcknowledged()
    {
        using var peer = new Peer([new(Taken, Acknowledged)], staysAway: true);
        using var sender = new Sender(peer.Address);
        List<long> letters = [];
        FaultPolicy policy = FaultPolicy.Retry(1, FaultPolicy.DeadLetter((ref long item, in FaultContext _) => letters.Add(item)));
        await using Pipeline<long> pipeline = Define(sender, policy).Build();
        using SingleProducer<long> producer = pipeline.CreateProducer();
        for (long item = 0; item < Items; item++) producer.Publish(item);
        peer.Start(() => pipeline["send"].Position + 1);
        await pipeline.StartAsync();

        DrainResult drained = await pipeline.DrainAsync(Timeout.InfiniteTimeSpan).OrHang();
        await peer.StoppedAsync();

        Assert.True(drained.IsDrained);
        Assert.Equal(Numbers(Acknowledged, Items - Acknowledged), letters);
        Assert.Equal(Items - Acknowledged, pipeline["send"].GetStatistics().DeadLettered);
    }

    // A full batch from the first on, so that the peer gets as much as it takes.
    private static PipelineBuilder<long, long> Define(Sender sender, FaultPolicy policy) =>
        Pipeline.Of<long>(2_048).Stage("send", sender, new StageOptions { Dispatch = Dispatch.Batch(max: Batch, min: Batch, maxAge: TimeSpan.FromMilliseconds(1)), OnFault = policy });

    private static IEnumerable<long> Numbers(int first, int count) => Enumerable.Range(first, count).Select(static i => (long)i);

    /// <summary>Sends a batch by one write, and marks the items that the other end acknowledges. It connects when it has to.</summary>
    private sealed class Sender(IPEndPoint peer) : IBatchHandler<long>, IDisposable
    {
        private readonly byte[] _acknowledgements = new byte[Batch];
        private byte[] _bytes = [];
        private Socket? _socket;

        public void OnBatch(Batch<long> batch)
        {
            _socket ??= Connect();
            try
            {
                Send(batch);
                for (int done = 0; done < batch.Count;)
                {
                    int got = _socket.Receive(_acknowledgements);
                    if (got == 0) throw new IOException("The peer has closed the connection before it acknowledged a batch.");
                    done += got;
                    batch.Complete(done);
                }
            }
            catch
            {
                Dispose();
                throw;
            }
        }

        public void Dispose()
        {
            _socket?.Dispose();
            _socket = null;
        }

        private Socket Connect()
        {
            Socket socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            socket.Connect(peer);
            return socket;
        }

        private void Send(Batch<long> batch)
        {
            if (_bytes.Length < batch.Count * Peer.ItemSize) _bytes = new byte[batch.Count * Peer.ItemSize];
            for (int i = 0; i < batch.Count; i++) BitConverter.TryWriteBytes(_bytes.AsSpan(i * Peer.ItemSize), batch[i]);
            _socket!.Send(_bytes.AsSpan(0, batch.Count * Peer.ItemSize));
        }
    }
}
