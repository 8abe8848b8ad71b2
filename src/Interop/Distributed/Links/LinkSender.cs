using System.Runtime.CompilerServices;
using Raceway.Pipelines;
using Raceway.Rings;

namespace Raceway.Interop.Distributed;

/// <summary>The sending stage of a link: it passes an item when the broker has confirmed it.</summary>
/// <remarks>
/// <para>1. Each item is written into the frame of its key's partition. 2. A frame is sent when it is full or its batch ends,
/// unless one of that partition is on its way: then when that is confirmed; there is no timer. 3. The stage's sequence moves
/// through the items of which every one before is confirmed too, so the ring keeps what is not, and pushes back. 4. A frame
/// that is refused or lost is sent again until it is confirmed. (Gathering while something is on its way is after Nagle,
/// RFC 896, 1984.)</para>
/// <para><b>Threads</b>: items are written on the stage's thread; frames are sent on the transport's threads too.</para>
/// <para><b>Blocking</b>: never; the stage is pending until something is confirmed. A partition that takes nothing holds the
/// link back when what the ring offers is used up.</para>
/// <para><b>Cost</b>: nothing is allocated for an item; for a frame, what the transport does. Memory: two frames a partition.
/// What is on its way is what one batch may hold: give the stage <c>Dispatch.Batch(max: capacity)</c>, and a thread of its own
/// (<see cref="Plan.Fused"/> goes in small steps).</para>
/// <para><b>Order</b>: the items of a key arrive in the ring's order.</para>
/// <para><b>Errors</b>: what the codec or the key throws is a fault of the stage at that item. If another sender has the
/// producer's lease (<see cref="LinkProducer"/>), the stage fails with a <see cref="LinkTransportException"/> at the first item
/// that is not confirmed. If this is disposed of first, it fails with an <see cref="ObjectDisposedException"/> there.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// await using LinkSender&lt;Order> sender = await LinkSender&lt;Order>.OpenAsync(
///     transport, new LinkAddress("orders.priced", Partitions: 8), ItemCodec.Unmanaged&lt;Order>(),
///     static (in Order order) => order.Customer, cancellation: cancellation);
/// await using Pipeline&lt;Order> pipeline = definition.Stage("send", sender, Dispatch.Batch(max: 1024)).Run();
/// </code>
/// </example>
public sealed class LinkSender<T> : IAsyncOutcomeHandler<T>, IAsyncDisposable
{
    // How many items are written between two chances for a confirm to be taken in.
    private const int AtATime = 256;

    private readonly object _gate = new();
    private readonly Pulse _moved = new();
    private readonly IFrameSender _port;
    private readonly IItemCodec<T> _codec;
    private readonly ItemRoute<T> _route;
    private readonly LinkOptions _options;
    private readonly Outbox[] _outboxes;
    private readonly FrameHeader _common;
    private readonly string _name;
    private readonly int _fixedLength;
    private readonly Action _halted;
    private readonly LinkProducer _producer;
    private long _taken;
    private Exception? _over;
    private LinkSenderStatistics _statistics;

    private LinkSender(IFrameSender port, LinkAddress link, IItemCodec<T> codec, ItemRoute<T> route, LinkProducer producer,
        LinkOptions options)
    {
        _port = port;
        _codec = codec;
        _route = route;
        _options = options;
        _name = link.Name;
        _fixedLength = codec.FixedLength;
        _outboxes = [.. Enumerable.Range(0, link.Partitions).Select(partition => new Outbox(partition, options))];
        _producer = producer;
        _common = new FrameHeader(producer.Id, producer.Epoch, 0, 0, _fixedLength, link.Tag, 0);
        _halted = _moved.Signal;
    }

    /// <summary>What it has sent so far.</summary>
    public LinkSenderStatistics Statistics
    {
        get
        {
            lock (_gate) return _statistics with { BufferBytes = _outboxes.Sum(static box => box.Held) };
        }
    }

    /// <summary>Opens the sending side of a link.</summary>
    /// <param name="transport">By what.</param>
    /// <param name="link">Which link.</param>
    /// <param name="codec">How items become bytes.</param>
    /// <param name="key">What keeps items in order: all of one key take the same way.</param>
    /// <param name="options">How frames are cut; null for the defaults.</param>
    /// <param name="cancellation">Gives up opening.</param>
    /// <typeparam name="TKey">Of a kind that hashes the same in every process: string, Guid, int, uint, long, ulong.</typeparam>
    /// <exception cref="LinkTransportException">The broker cannot be reached, or refuses; or another sender of the same producer
    /// and epoch lives.</exception>
    /// <exception cref="ArgumentException">Something is out of range, or the key is of another type.</exception>
    public static async ValueTask<LinkSender<T>> OpenAsync<TKey>(
        ILinkTransport transport,
        LinkAddress link,
        IItemCodec<T> codec,
        KeySelector<T, TKey> key,
        LinkOptions? options = null,
        CancellationToken cancellation = default)
        where TKey : notnull, IEquatable<TKey>
    {
        ArgumentNullException.ThrowIfNull(transport);
        ArgumentNullException.ThrowIfNull(link);
        ArgumentNullException.ThrowIfNull(codec);
        ItemRoute<T> route = PartitionOf.Key(key, link.Checked().Partitions);
        LinkOptions settled = (options ?? new LinkOptions()).Checked();
        var producer = new LinkProducer(settled.Producer, settled.Epoch ?? (ulong)DateTime.UtcNow.Ticks);
        IFrameSender port = await transport.OpenSenderAsync(link, producer, cancellation).ConfigureAwait(false);
        return new LinkSender<T>(port, link, codec, route, producer, settled);
    }

    /// <inheritdoc/>
    public ValueTask<BatchOutcome> OnBatchAsync(AsyncBatch<T> batch, CancellationToken cancellation)
    {
        // What a policy has passed over is not sent.
        _taken = Math.Max(_taken, batch.Sequence);
        Exception? fault = Fill(batch);
        Flush();
        int confirmed = Confirmed(batch);
        if (confirmed > 0) return new ValueTask<BatchOutcome>(BatchOutcome.Consumed(confirmed));
        if (Volatile.Read(ref _over) is { } over) return ValueTask.FromException<BatchOutcome>(over);
        // Everything before it is confirmed, so that the fault is this item's alone.
        if (fault is not null && _taken == batch.Sequence) return ValueTask.FromException<BatchOutcome>(fault);
        return WaitAsync(batch, cancellation);
    }

    /// <summary>Closes its side of the link. What is not confirmed is not sent again; a stage that still has such items fails.</summary>
    public ValueTask DisposeAsync() => _port.DisposeAsync();

    private Exception? Fill(AsyncBatch<T> batch)
    {
        int at = (int)(_taken - batch.Sequence);
        while (at < batch.Count)
        {
            int end = Math.Min(batch.Count, at + AtATime);
            lock (_gate)
            {
                for (; at < end; at++)
                {
                    Outbox? full = null;
                    try
                    {
                        ref T item = ref batch[at];
                        Outbox box = _outboxes[_route(ref item)];
                        if (!box.HasRoom)
                        {
                            if (box.IsFlying) return null;
                            full = box;
                        }
                        else
                        {
                            box.Add(_codec, ref item, _fixedLength, batch.Sequence + at);
                        }
                    }
                    catch (Exception fault)
                    {
                        return fault;
                    }

                    if (full is not null)
                    {
                        end = at;
                        break;
                    }

                    _taken++;
                }
            }

            if (at == end && at < batch.Count) Flush(full: true);
        }

        return null;
    }

    // Starts what may be sent, out of the lock: a transport may complete at once, and tell us so.
    private void Flush(bool full = false)
    {
        foreach (Outbox box in _outboxes)
        {
            ReadOnlyMemory<byte> frame;
            lock (_gate)
            {
                if (box.IsFlying || !box.HasItems || (full && box.HasRoom)) continue;
                frame = box.Launch(_common);
            }

            _ = FlyAsync(box, frame);
        }
    }

    // Sends a frame until it is confirmed, and whatever has gathered behind it.
    private async Task FlyAsync(Outbox box, ReadOnlyMemory<byte> frame)
    {
        int attempt = 0;
        while (true)
        {
            SendOutcome outcome = await _port.SendAsync(box.Partition, frame).ConfigureAwait(false);
            if (outcome == SendOutcome.Confirmed)
            {
                attempt = 0;
                bool more = Land(box, ref frame);
                _moved.Signal();
                if (!more) return;
                continue;
            }

            if (outcome == SendOutcome.Fenced)
            {
                Fence();
                return;
            }

            Note(outcome, box.Partition, ++attempt);
            if (await _port.WaitToResendAsync(box.Partition, outcome, attempt).ConfigureAwait(false)) continue;
            Interlocked.CompareExchange(ref _over, LinkErrors.SenderDisposed(_name), null);
            _moved.Signal();
            return;
        }
    }

    private void Fence()
    {
        LinkTransportException fault = LinkErrors.Fenced(_name, _producer);
        if (Interlocked.CompareExchange(ref _over, fault, null) is null)
            new LinkEvent(LinkEventKind.Fenced, _name, $"producer '{_producer.Name}', epoch {_producer.Epoch}").TellTo(_options.OnEvent);
        _moved.Signal();
    }

    private bool Land(Outbox box, ref ReadOnlyMemory<byte> frame)
    {
        lock (_gate)
        {
            _statistics = _statistics with
            {
                Frames = _statistics.Frames + 1,
                Items = _statistics.Items + box.Flying,
                Bytes = _statistics.Bytes + frame.Length,
            };
            box.Land();
            if (!box.HasItems) return false;
            frame = box.Launch(_common);
            return true;
        }
    }

    private void Note(SendOutcome outcome, int partition, int attempt)
    {
        lock (_gate)
        {
            _statistics = outcome == SendOutcome.Refused
                ? _statistics with { Refused = _statistics.Refused + 1 }
                : _statistics with { Lost = _statistics.Lost + 1 };
        }

        if (outcome == SendOutcome.Refused && attempt == 1)
            new LinkEvent(LinkEventKind.Refused, _name, $"partition {partition} takes no frames").TellTo(_options.OnEvent);
    }

    private int Confirmed(AsyncBatch<T> batch)
    {
        lock (_gate)
        {
            long oldest = _taken;
            foreach (Outbox box in _outboxes) oldest = Math.Min(oldest, box.Oldest);
            // More than it holds, where this batch is shorter than the one before.
            return (int)Math.Min(oldest - batch.Sequence, batch.Count);
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<BatchOutcome> WaitAsync(AsyncBatch<T> batch, CancellationToken cancellation)
    {
        using CancellationTokenRegistration halt =
            cancellation.UnsafeRegister(static state => ((Action)state!)(), _halted);
        int confirmed;
        while ((confirmed = Confirmed(batch)) == 0 && !cancellation.IsCancellationRequested)
        {
            if (Volatile.Read(ref _over) is { } over) throw over;
            await _moved.WaitAsync().ConfigureAwait(false);
        }

        return BatchOutcome.Consumed(confirmed);
    }
}

/// <summary>What a sender has done.</summary>
/// <param name="Frames">Confirmed.</param>
/// <param name="Items">In them.</param>
/// <param name="Bytes">In them, the headers included.</param>
/// <param name="Refused">Sends that the broker did not take.</param>
/// <param name="Lost">Sends of which nothing was known.</param>
/// <param name="BufferBytes">What its frames take up now.</param>
public readonly record struct LinkSenderStatistics(
    long Frames, long Items, long Bytes, long Refused, long Lost, long BufferBytes);
