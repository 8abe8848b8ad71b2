using System.Buffers;
using System.IO.Pipelines;
using System.Threading.Channels;
using System.Threading.Tasks.Dataflow;
using Raceway.Pipelines;

namespace Raceway.Interop.Tests.Bridges;

/// <summary>A bridge out of a pipeline, as the contract uses it.</summary>
internal abstract class WayOut
{
    public static readonly string[] Kinds =
        ["channel-reader", "read-async", "channel-pump", "sequence", "batches", "pipe-lines", "pipe-prefixed", "source", "observable"];

    /// <summary>Whether <see cref="ReceiveAsync"/> can be cancelled and called again.</summary>
    public virtual bool CanCancel => true;

    /// <summary>Whether an error of the pipeline comes behind everything that was handled before it.</summary>
    public virtual bool KeepsItemsBeforeAFault => true;

    /// <summary>The most items that are out of the ring and not received yet, where nobody receives.</summary>
    public abstract int MostHeld { get; }

    /// <summary>Receives to the end; throws what the pipeline ended with.</summary>
    /// <param name="receive">Called with each item, one at a time; holds the bridge up while it waits.</param>
    /// <param name="cancellation">Ends it; called again it goes on.</param>
    public abstract Task ReceiveAsync(Func<long, Task> receive, CancellationToken cancellation);

    public static WayOut Of(string kind, Pipeline<long> pipeline) => kind switch
    {
        "channel-reader" => new Reader(pipeline),
        "read-async" => new ReadAsync(pipeline),
        "channel-pump" => new Pump(pipeline),
        "sequence" => new Sequence(pipeline),
        "batches" => new Batches(pipeline),
        "pipe-lines" => new Frames(pipeline, Framing.Newline(32)),
        "pipe-prefixed" => new Frames(pipeline, Framing.LengthPrefixed(32)),
        "source" => new Source(pipeline),
        _ => new Observable(pipeline),
    };

    private static int Half(Pipeline<long> pipeline) => Math.Min(256, pipeline.Ring.Capacity / 2);

    private sealed class Reader(Pipeline<long> pipeline) : WayOut
    {
        private readonly ChannelReader<long> _reader = pipeline.AsChannelReader();

        public override int MostHeld => Half(pipeline);

        public override async Task ReceiveAsync(Func<long, Task> receive, CancellationToken cancellation)
        {
            while (await _reader.WaitToReadAsync(cancellation))
            {
                while (_reader.TryRead(out long item))
                {
                    await receive(item);
                    cancellation.ThrowIfCancellationRequested();
                }
            }

            await _reader.Completion;
        }
    }

    private sealed class ReadAsync(Pipeline<long> pipeline) : WayOut
    {
        private readonly ChannelReader<long> _reader = pipeline.AsChannelReader();

        public override int MostHeld => Half(pipeline);

        public override async Task ReceiveAsync(Func<long, Task> receive, CancellationToken cancellation)
        {
            try
            {
                while (true) await receive(await _reader.ReadAsync(cancellation));
            }
            catch (ChannelClosedException)
            {
                await _reader.Completion;
            }
        }
    }

    private sealed class Pump(Pipeline<long> pipeline) : WayOut
    {
        private const int Room = 8;
        private readonly Channel<long> _target = Channel.CreateBounded<long>(Room);
        private readonly ChannelReader<long> _reader = pipeline.AsChannelReader();

        public override int MostHeld => Half(pipeline) + Room + 1;

        public override async Task ReceiveAsync(Func<long, Task> receive, CancellationToken cancellation)
        {
            Task pump = _reader.PumpInto(_target.Writer, cancellation: cancellation);
            using var ended = new CancellationTokenSource();
            Task stop = pump.ContinueWith(_ => ended.Cancel(), TaskScheduler.Default);
            try
            {
                while (await _target.Reader.WaitToReadAsync(ended.Token))
                    while (_target.Reader.TryRead(out long item)) await receive(item);
            }
            catch (OperationCanceledException)
            {
                while (_target.Reader.TryRead(out long item)) await receive(item);
            }
            catch (Exception) when (_target.Reader.Completion.IsFaulted)
            {
                // Told by the pump as well.
            }

            await pump;
            await stop;
        }
    }

    private sealed class Sequence(Pipeline<long> pipeline) : WayOut
    {
        private readonly IAsyncEnumerable<long> _items = pipeline.AsAsyncEnumerable();

        public override int MostHeld => Half(pipeline);

        public override async Task ReceiveAsync(Func<long, Task> receive, CancellationToken cancellation)
        {
            await foreach (long item in _items.WithCancellation(cancellation)) await receive(item);
        }
    }

    private sealed class Batches(Pipeline<long> pipeline) : WayOut
    {
        private readonly IAsyncEnumerable<ReadOnlyMemory<long>> _batches = pipeline.AsAsyncBatches();

        public override int MostHeld => Half(pipeline);

        public override async Task ReceiveAsync(Func<long, Task> receive, CancellationToken cancellation)
        {
            await foreach (ReadOnlyMemory<long> batch in _batches.WithCancellation(cancellation))
                for (int i = 0; i < batch.Length; i++) await receive(batch.Span[i]);
        }
    }

    private sealed class Frames : WayOut
    {
        private const int PauseAt = 2048;
        private readonly Pipe _pipe = new(new PipeOptions(
            minimumSegmentSize: 64, pauseWriterThreshold: PauseAt, resumeWriterThreshold: PauseAt / 2, useSynchronizationContext: false));

        private readonly Pipeline<long> _pipeline;
        private readonly Poller<long> _poller;
        private readonly Framing _framing;
        private readonly byte[] _text = new byte[32];

        public Frames(Pipeline<long> pipeline, Framing framing)
        {
            _pipeline = pipeline;
            _framing = framing;
            pipeline.Attach(definition => definition.After(pipeline.Stages[^1].Name).Poller("bytes"));
            _poller = pipeline.GetPoller<long>("bytes");
        }

        // A pipe throws its writer's error in front of the bytes that have not been read.
        public override bool KeepsItemsBeforeAFault => false;

        // A batch of up to all slots goes in before the pipe is asked.
        public override int MostHeld => _pipeline.Ring.Capacity + PauseAt;

        public override async Task ReceiveAsync(Func<long, Task> receive, CancellationToken cancellation)
        {
            Task pump = _poller.PumpInto(_pipe.Writer, _framing, (ref long item) => ByteText.Format(item, _text), cancellation: cancellation);
            Task stop = pump.ContinueWith(_ => _pipe.Reader.CancelPendingRead(), TaskScheduler.Default);
            while (true)
            {
                ReadResult read;
                try
                {
                    read = await _pipe.Reader.ReadAsync(CancellationToken.None);
                }
                catch (Exception) when (pump.IsFaulted)
                {
                    break;
                }

                ReadOnlySequence<byte> left = read.Buffer;
                while (ByteText.TryCut(ref left, _framing, out long item)) await receive(item);
                _pipe.Reader.AdvanceTo(left.Start, left.End);
                if (read.IsCompleted || read.IsCanceled) break;
            }

            await stop;
            await pump;
        }
    }

    private sealed class Source(Pipeline<long> pipeline) : WayOut
    {
        private readonly IReceivableSourceBlock<long> _source = pipeline.AsSourceBlock();

        public override bool KeepsItemsBeforeAFault => false;

        public override int MostHeld => Half(pipeline) + 256 + 1;

        public override async Task ReceiveAsync(Func<long, Task> receive, CancellationToken cancellation)
        {
            while (await _source.OutputAvailableAsync(cancellation))
            {
                while (_source.TryReceive(out long item))
                {
                    await receive(item);
                    cancellation.ThrowIfCancellationRequested();
                }
            }

            await _source.Completion;
        }
    }

    private sealed class Observable : WayOut, IObserver<long>
    {
        private readonly TaskCompletionSource _end = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly TaskCompletionSource<Func<long, Task>> _receive = new();
        private readonly Pipeline<long> _pipeline;

        public Observable(Pipeline<long> pipeline)
        {
            _pipeline = pipeline;
            pipeline.AsObservable().Subscribe(this);
        }

        public override bool CanCancel => false;

        public override int MostHeld => Half(_pipeline);

        public override Task ReceiveAsync(Func<long, Task> receive, CancellationToken cancellation)
        {
            _receive.SetResult(receive);
            return _end.Task;
        }

        public void OnNext(long value) => _receive.Task.GetAwaiter().GetResult()(value).GetAwaiter().GetResult();

        public void OnError(Exception error) => _end.SetException(error);

        public void OnCompleted() => _end.SetResult();
    }
}
