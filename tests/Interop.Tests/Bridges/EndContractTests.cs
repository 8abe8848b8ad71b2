using System.Globalization;
using System.IO.Pipelines;
using System.Text;
using System.Threading.Channels;
using System.Threading.Tasks.Dataflow;
using Raceway.Pipelines;
using Raceway.Testing;

namespace Raceway.Interop.Tests.Bridges;

/// <summary>The bridges keep the contracts of sources and sinks that users' own are held to.</summary>
public sealed class EndContractTests
{
    public static TheoryData<string> Sources => ["channel-writer", "channel-pump", "sequence", "batches", "pipe-lines", "pipe-prefixed", "target"];

    public static TheoryData<string> Failures => ["channel-pump", "sequence", "batches", "pipe-lines", "target", "observer"];

    public static TheoryData<string> Sinks => ["channel", "several", "pump", "sequence", "batches", "block", "pipe"];

    [Theory]
    [MemberData(nameof(Sources))]
    public void Sources_Pass(string kind) =>
        SourceContract.Check((pipeline, items, token) => WayIn.Of(kind, pipeline, items.Count).SendAsync(token));

    [Theory]
    [MemberData(nameof(Failures))]
    public void Sources_ThatFail_Pass(string kind) =>
        SourceContract.CheckFailure((pipeline, error, token) => WayIn.Of(kind, pipeline, 10, error).SendAsync(token));

    [Theory]
    [MemberData(nameof(Sinks))]
    public void Sinks_Pass(string kind)
    {
        // A block and a channel between the poller and the action hold items of their own: each trial's are kept by its poller.
        var held = new System.Runtime.CompilerServices.ConditionalWeakTable<Poller<long>, object>();
        SinkContract.Check((poller, take, token) => kind switch
        {
            "channel" => ReadAsync(poller.AsChannelReader(singleReader: true), take, token),
            "several" => ReadAsync(poller.AsChannelReader(), take, token),
            "pump" => PumpAsync((Channel<long>)held.GetValue(poller, static _ => Channel.CreateBounded<long>(8)), poller, take, token),
            "sequence" => EachAsync(poller.AsAsyncEnumerable(), take, token),
            "batches" => BatchesAsync(poller.AsAsyncBatches(), take, token),
            "block" => ReceiveAsync((IReceivableSourceBlock<long>)held.GetValue(poller, static poller => poller.AsSourceBlock()), take, token),
            _ => FramesAsync((Pipe)held.GetValue(poller, static _ => new Pipe()), poller, take, token),
        });
    }

    private static async Task ReadAsync(ChannelReader<long> reader, Action<long> take, CancellationToken token)
    {
        while (await reader.WaitToReadAsync(token))
        {
            while (reader.TryRead(out long item))
            {
                take(item);
                token.ThrowIfCancellationRequested();
            }
        }
    }

    private static async Task EachAsync(IAsyncEnumerable<long> items, Action<long> take, CancellationToken token)
    {
        await foreach (long item in items.WithCancellation(token))
        {
            take(item);
            token.ThrowIfCancellationRequested();
        }
    }

    private static async Task BatchesAsync(IAsyncEnumerable<ReadOnlyMemory<long>> batches, Action<long> take, CancellationToken token)
    {
        await foreach (ReadOnlyMemory<long> batch in batches.WithCancellation(token))
            for (int i = 0; i < batch.Length; i++) take(batch.Span[i]);
        token.ThrowIfCancellationRequested();
    }

    private static async Task ReceiveAsync(IReceivableSourceBlock<long> source, Action<long> take, CancellationToken token)
    {
        while (await source.OutputAvailableAsync(token))
        {
            while (source.TryReceive(out long item))
            {
                take(item);
                token.ThrowIfCancellationRequested();
            }
        }

        await source.Completion;
    }

    private static async Task PumpAsync(Channel<long> target, Poller<long> poller, Action<long> take, CancellationToken token)
    {
        using var over = CancellationTokenSource.CreateLinkedTokenSource(token);
        Task pumping = poller.AsChannelReader().PumpInto(target.Writer, cancellation: over.Token);
        // What the target holds is the next run's, with the same target.
        await BothAsync(ReadAsync(target.Reader, take, over.Token), pumping, over);
    }

    private static async Task FramesAsync(Pipe pipe, Poller<long> poller, Action<long> take, CancellationToken token)
    {
        using var over = CancellationTokenSource.CreateLinkedTokenSource(token);
        var framing = Framing.Newline(32);
        Task pumping = poller.PumpInto(
            pipe.Writer, framing, static (ref long item) => Encoding.ASCII.GetBytes(item.ToString(CultureInfo.InvariantCulture)),
            cancellation: over.Token);
        await BothAsync(ReadFramesAsync(pipe.Reader, framing, take, over.Token), pumping, over);
    }

    private static async Task ReadFramesAsync(PipeReader source, Framing framing, Action<long> take, CancellationToken token)
    {
        while (true)
        {
            ReadResult read = await source.ReadAsync(token);
            System.Buffers.ReadOnlySequence<byte> left = read.Buffer;
            try
            {
                while (framing.TryRead(ref left, read.IsCompleted, out System.Buffers.ReadOnlySequence<byte> frame))
                {
                    take(ByteText.Parse(System.Buffers.BuffersExtensions.ToArray(frame)));
                    token.ThrowIfCancellationRequested();
                }
            }
            finally
            {
                source.AdvanceTo(left.Start, left.End);
            }

            if (read.IsCompleted) return;
        }
    }

    // If one task fails, the other is cancelled. The run returns after both, so the next run cannot meet this run's pump.
    private static async Task BothAsync(Task reading, Task pumping, CancellationTokenSource over)
    {
        try
        {
            await await Task.WhenAny(reading, pumping);
            await reading;
            await pumping;
        }
        finally
        {
            await over.CancelAsync();
            await Task.WhenAll(reading, pumping).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
    }
}
