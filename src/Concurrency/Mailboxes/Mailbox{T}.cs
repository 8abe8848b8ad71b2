using System.Diagnostics;
using Raceway.Rings;

namespace Raceway.Concurrency;

/// <summary>An actor's mailbox: many post, one handler takes the messages one after another, in the order of the posts.</summary>
/// <remarks>
/// <para><b>Threads</b>: every member by any thread. The handler is called by one thread at a time, a message (or a batch)
/// after the other; each call sees what the one before has written.</para>
/// <para><b>Order</b>: messages of one poster in its order; of several, in the order in which they were accepted.</para>
/// <para><b>Cost</b>: a post is one atomic operation and two stores, nothing is allocated; it wakes only a handler that
/// is idle. The mailbox itself takes about 7 kB.</para>
/// <para><b>Blocking</b>: only <see cref="Post"/> and the timed <see cref="TryPost(T, TimeSpan)"/>, only with a bound, and
/// only while it is full.</para>
/// <para><b>Life</b>: it runs from the start; <see cref="Complete"/>, <see cref="DrainAsync"/>, <see cref="HaltAsync"/>,
/// <see cref="DisposeAsync"/> end it, and so does a handler that fails for good. What was accepted is handled, or counted in
/// <see cref="Unprocessed"/> and offered to <see cref="MailboxOptions{T}.OnUnprocessed"/>; what is posted later is refused.
/// There is no restart.</para>
/// </remarks>
/// <typeparam name="T">The message type.</typeparam>
/// <example>
/// <code>
/// await using Mailbox&lt;Question> mailbox = Mailbox.Start&lt;Question>(question => question.Answer(accounts));
/// decimal balance = await mailbox.AskAsync&lt;long, decimal>(
///     customer, static (customer, reply) => new Question(customer, reply), TimeSpan.FromSeconds(1), cancellation);
///
/// internal sealed record Question(long Customer, Reply&lt;decimal> Reply)
/// {
///     public void Answer(Accounts accounts) => _ = Reply.TrySet(accounts.BalanceOf(Customer));
/// }
/// </code>
/// </example>
[DebuggerDisplay("{Name,nq} {State}: {Count} waiting")]
public sealed partial class Mailbox<T> : IAsyncDisposable, IUnitOwner
{
    private readonly MailboxOptions<T> _options;
    private readonly MessageQueue<T> _queue;
    private readonly MailboxUnit<T> _unit;
    private readonly Driver _driver;
    private readonly Control _control;

    internal Mailbox(Receiver<T> receiver, MailboxOptions<T> options)
    {
        _options = options;
        Clock = Clock.Of(options.Time);
        var cells = new RingMemory(CellPadding.LinePair);
        _control = new Control(cells);
        _queue = new MessageQueue<T>(cells, options.Bound ?? MessageQueue<T>.Unbounded);
        _unit = new MailboxUnit<T>(this, _queue, receiver, options, _control, cells);
        _driver = Driver.Of(_unit, options.Wait, options.Name);
        _driver.Launch();
        _ = FollowAsync();
    }

    /// <summary>Its name.</summary>
    public string Name => _options.Name;

    /// <summary>Messages that wait or are being handled: a snapshot.</summary>
    public long Count => _queue.Count;

    /// <summary>What it has done so far.</summary>
    public StageStatistics GetStatistics() => new()
    {
        Name = Name,
        Batches = _unit.Counters.Read(Counter.Batches),
        Items = _unit.Counters.Read(Counter.Items),
        Lag = Count,
        Faults = _unit.Counters.Read(Counter.Faults),
        Skipped = _unit.Counters.Read(Counter.Skipped),
        DeadLettered = _unit.Counters.Read(Counter.DeadLettered),
        Retries = _unit.Counters.Read(Counter.Retries),
        Waits = _unit.Waiting?.Waits ?? 0,
        Parks = _unit.Waiting?.Parks ?? 0,
        Interrupts = _unit.Waiting?.Interrupts ?? 0,
        CloseReasons = _unit.Counters.CloseReasons(),
        BatchSizes = _unit.Counters.Sizes(),
    };

    /// <summary>Posts <paramref name="message"/>; waits for room where it has a bound and is full.</summary>
    /// <exception cref="MailboxStoppedException">It takes no more messages.</exception>
    /// <exception cref="MailboxFaultedException">Its handler has failed for good.</exception>
    /// <exception cref="ObjectDisposedException">It has been disposed.</exception>
    /// <exception cref="ReentrantMailboxException">It is full, and this is its own handler.</exception>
    public void Post(T message)
    {
        ClaimStatus status = _queue.TryPost(message, out long sequence);
        if (status != ClaimStatus.Done) PostOrThrow(status, message, sequence);
    }

    /// <summary>Posts <paramref name="message"/> unless it is full or takes no more; never waits.</summary>
    /// <returns><see cref="ClaimStatus.Done"/>, <see cref="ClaimStatus.Full"/> or <see cref="ClaimStatus.Stopped"/>.</returns>
    public ClaimStatus TryPost(T message) => _queue.TryPost(message, out _);

    /// <summary>Posts <paramref name="message"/>; waits for room at most <paramref name="timeout"/>.</summary>
    /// <returns><see cref="ClaimStatus.Done"/>, <see cref="ClaimStatus.TimedOut"/> or <see cref="ClaimStatus.Stopped"/>.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The timeout is negative.</exception>
    /// <exception cref="ReentrantMailboxException">It is full, and this is its own handler.</exception>
    public ClaimStatus TryPost(T message, TimeSpan timeout)
    {
        if (timeout < TimeSpan.Zero && timeout != Timeout.InfiniteTimeSpan) throw MailboxErrors.Timeout(nameof(timeout), timeout);
        ClaimStatus status = _queue.TryPost(message, out long sequence);
        return status == ClaimStatus.Full ? WaitAndPost(message, sequence, Clock.In(timeout)) : status;
    }

    /// <summary>Posts <paramref name="message"/>; completes when it is accepted: at once, unless it has a bound and is full.</summary>
    /// <param name="message">The message.</param>
    /// <param name="cancellation">Ends the wait for room; the message is then not posted.</param>
    /// <returns>A task to be awaited once.</returns>
    /// <inheritdoc cref="Post"/>
    public ValueTask PostAsync(T message, CancellationToken cancellation = default)
    {
        ClaimStatus status = _queue.TryPost(message, out long sequence);
        return status switch
        {
            ClaimStatus.Done => default,
            ClaimStatus.Full => PostWhenRoomAsync(message, sequence, cancellation),
            _ => ValueTask.FromException(Refusal()),
        };
    }

    object IUnitOwner.Family => this;

    WaitContext IUnitOwner.WaitContext(bool leadsChain) => MailboxUnit<T>.WaitContext;

    /// <summary>The clock of its limits.</summary>
    internal Clock Clock { get; }

    /// <summary>Signalled on halt and fault.</summary>
    internal CancellationToken HaltToken => _halt.Token;
}
