using System.Buffers;
using System.Buffers.Binary;
using System.IO.Pipelines;
using System.Text;
using System.Threading.Channels;
using System.Threading.Tasks.Dataflow;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Tests.Bridges;

/// <summary>A bridge into a pipeline, as the contract uses it: it brings the numbers 0 to count − 1, and then its end.</summary>
internal abstract class WayIn
{
    public static readonly string[] Kinds =
        ["channel-writer", "channel-pump", "sequence", "batches", "pipe-lines", "pipe-prefixed", "target", "linked", "observer"];

    /// <summary>What it ends with.</summary>
    public Exception? Error { get; init; }

    public required Pipeline<long> Pipeline { get; init; }

    public required int Count { get; init; }

    /// <summary>Whether <see cref="SendAsync"/> can be cancelled and called again.</summary>
    public virtual bool CanCancel => true;

    /// <summary>Whether its source gives everything out before its error.</summary>
    public virtual bool KeepsItemsBeforeAnError => true;

    /// <summary>Items that are on the source's side no more.</summary>
    public virtual int Taken { get; protected set; }

    /// <summary>Called with each item before it is sent.</summary>
    public Action<long>? Sending { get; set; }

    /// <summary>Sends what is left, and the end.</summary>
    public abstract Task SendAsync(CancellationToken cancellation);

    public static WayIn Of(string kind, Pipeline<long> pipeline, int count, Exception? error = null) => kind switch
    {
        "channel-writer" => new Writer { Pipeline = pipeline, Count = count, Error = error },
        "channel-pump" => new Pump { Pipeline = pipeline, Count = count, Error = error },
        "sequence" => new Sequence { Pipeline = pipeline, Count = count, Error = error },
        "batches" => new Batches { Pipeline = pipeline, Count = count, Error = error },
        "pipe-lines" => new Frames(Framing.Newline(32)) { Pipeline = pipeline, Count = count, Error = error },
        "pipe-prefixed" => new Frames(Framing.LengthPrefixed(32)) { Pipeline = pipeline, Count = count, Error = error },
        "target" => new Target { Pipeline = pipeline, Count = count, Error = error },
        "linked" => new Linked { Pipeline = pipeline, Count = count, Error = error },
        _ => new Observer { Pipeline = pipeline, Count = count, Error = error },
    };

    private sealed class Writer : WayIn
    {
        private ChannelWriter<long>? _writer;

        public override async Task SendAsync(CancellationToken cancellation)
        {
            _writer ??= Pipeline.AsChannelWriter();
            while (Taken < Count)
            {
                Sending?.Invoke(Taken);
                await _writer.WriteAsync(Taken, cancellation);
                Taken++;
            }

            _writer.TryComplete(Error);
        }
    }

    private sealed class Pump : WayIn
    {
        private Channel<long>? _source;

        public override int Taken => Count - (_source?.Reader.Count ?? Count);

        public override Task SendAsync(CancellationToken cancellation)
        {
            if (_source is null)
            {
                _source = Channel.CreateUnbounded<long>();
                for (long i = 0; i < Count; i++) _source.Writer.TryWrite(i);
                _source.Writer.TryComplete(Error);
            }

            return _source.Reader.PumpInto(Pipeline, cancellation: cancellation);
        }
    }

    private sealed class Sequence : WayIn
    {
        public override Task SendAsync(CancellationToken cancellation) =>
            Items().PumpInto(Pipeline, cancellation: cancellation);

        private async IAsyncEnumerable<long> Items()
        {
            while (Taken < Count)
            {
                Sending?.Invoke(Taken);
                if (Taken % 7 == 3) await Task.Yield();
                yield return Taken++;
            }

            if (Error is not null) throw Error;
        }
    }

    private sealed class Batches : WayIn
    {
        private readonly long[] _batch = new long[16];

        public override Task SendAsync(CancellationToken cancellation) =>
            Items().PumpBatchesInto(Pipeline, cancellation: cancellation);

        private async IAsyncEnumerable<ReadOnlyMemory<long>> Items()
        {
            while (Taken < Count)
            {
                Sending?.Invoke(Taken);
                if (Taken % 7 == 3) await Task.Yield();
                int count = Math.Min(1 + Taken % _batch.Length, Count - Taken);
                for (int i = 0; i < count; i++) _batch[i] = Taken++;
                yield return _batch.AsMemory(0, count);
            }

            if (Error is not null) throw Error;
        }
    }

    private sealed class Frames(Framing framing) : WayIn
    {
        private Pipe? _pipe;

        // A pipe that is completed with an error throws it in place of what it holds.
        public override bool KeepsItemsBeforeAnError => false;

        public override Task SendAsync(CancellationToken cancellation)
        {
            if (_pipe is null)
            {
                // Small segments, so that frames lie across them.
                _pipe = new Pipe(new PipeOptions(
                    minimumSegmentSize: 64, pauseWriterThreshold: 2048, resumeWriterThreshold: 1024, useSynchronizationContext: false));
                _ = Task.Run(FeedAsync, CancellationToken.None);
            }

            return _pipe.Reader.PumpInto(
                Pipeline, framing, static (ref long slot, ReadOnlySpan<byte> frame) => slot = ByteText.Parse(frame),
                cancellation: cancellation);
        }

        private async Task FeedAsync()
        {
            var text = new byte[32];
            for (int i = 0; i < Count; i++)
            {
                Sending?.Invoke(i);
                int length = Encoding.ASCII.GetBytes(i.ToString(provider: null), text.AsSpan(4));
                BinaryPrimitives.WriteInt32BigEndian(text, length);
                text[4 + length] = (byte)'\n';
                bool lines = framing.ToString()!.StartsWith("newline", StringComparison.Ordinal);
                ReadOnlyMemory<byte> frame = lines ? text.AsMemory(4, length + 1) : text.AsMemory(0, 4 + length);
                // In two pieces, so that a frame is not all there at first.
                _pipe!.Writer.Write(frame.Span[..(frame.Length / 2)]);
                if (i % 5 == 0) await _pipe.Writer.FlushAsync();
                _pipe.Writer.Write(frame.Span[(frame.Length / 2)..]);
                if (i % 16 == 0 && (await _pipe.Writer.FlushAsync()).IsCompleted) break;
                Taken = i + 1;
            }

            await _pipe!.Writer.CompleteAsync(Error);
        }
    }

    private sealed class Target : WayIn
    {
        private ITargetBlock<long>? _target;

        public override async Task SendAsync(CancellationToken cancellation)
        {
            _target ??= Pipeline.AsTargetBlock();
            while (Taken < Count)
            {
                Sending?.Invoke(Taken);
                if (!await _target.SendAsync(Taken, cancellation)) throw new InvalidOperationException("declined");
                Taken++;
            }

            if (Error is null) _target.Complete();
            else _target.Fault(Error);
        }
    }

    private sealed class Linked : WayIn
    {
        private BufferBlock<long>? _source;
        private ITargetBlock<long>? _target;

        // A link takes no error along with the items before it: a block that faults drops what it holds.
        public override async Task SendAsync(CancellationToken cancellation)
        {
            _target ??= Pipeline.AsTargetBlock();
            if (_source is null)
            {
                _source = new BufferBlock<long>();
                for (long i = 0; i < Count; i++) _source.Post(i);
                if (Error is null) _source.Complete();
            }

            using IDisposable link = _source.LinkTo(_target, new DataflowLinkOptions { PropagateCompletion = Error is null });
            if (Error is null)
            {
                Task first = await Task.WhenAny(_source.Completion, _target.Completion).WaitAsync(cancellation);
                await first;
                Taken = Count;
                return;
            }

            while (_source.Count > 0)
            {
                cancellation.ThrowIfCancellationRequested();
                await Task.Yield();
            }

            // The last one may be postponed: it is still the source's then, which is why that is not completed yet.
            Taken = Count;
            _target.Fault(Error);
        }
    }

    private sealed class Observer : WayIn
    {
        private IObserver<long>? _observer;

        public override bool CanCancel => false;

        public override Task SendAsync(CancellationToken cancellation)
        {
            _observer ??= Pipeline.AsObserver();
            return Task.Factory.StartNew(Send, cancellation, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        }

        private void Send()
        {
            for (; Taken < Count; Taken++)
            {
                Sending?.Invoke(Taken);
                _observer!.OnNext(Taken);
            }

            if (Error is null) _observer!.OnCompleted();
            else _observer!.OnError(Error);
        }
    }
}
