namespace Raceway.Rings;

/// <summary>What happens when a handler throws. Immutable; one for each stage.</summary>
/// <remarks>
/// <para>Before the policy is asked, the progress of everything completed is published. Only a handler's fault may pass over
/// an item, only by policy, and every item passed over is counted. Faults of start, stop and idle hooks, of a dead-letter
/// action or of a decider always stop.</para>
/// <para><b>Batches</b>: a batch that failed without marks (<see cref="Batch{T}.Complete"/>) is retried as a whole, but never
/// skipped as a whole. To find the item that fails, the next call has half of the items of the one that failed, and so on
/// down to a single item. What succeeds on the way is done. Once the item is passed over, the rest is offered whole again.
/// Items that fail only together are handled apart.</para>
/// <para><b>Cost</b>: one bad item among n takes about log2 n calls more, n bad ones take that for each. An item may be in
/// several failed calls, so a handler should do all of a call or nothing, or mark what it has done.</para>
/// </remarks>
/// <example>
/// <code>
/// List&lt;Order> letters = [];
/// FaultPolicy policy = FaultPolicy.Retry(
///     attempts: 3,
///     backoff: TimeSpan.FromMilliseconds(50),
///     then: FaultPolicy.DeadLetter((ref Order order, in FaultContext fault) => letters.Add(order)));
/// ring.Subscribe(write, new StageOptions { OnFault = policy });
/// </code>
/// </example>
public sealed class FaultPolicy
{
    private FaultPolicy(FaultAction action) => Action = action;

    /// <summary>Stop the whole ring: it becomes faulted, and its producers are told. The default.</summary>
    public static FaultPolicy Stop { get; } = new(FaultAction.Stop);

    /// <summary>Pass over the item, and count it. Later stages still see it.</summary>
    public static FaultPolicy Skip { get; } = new(FaultAction.Skip);

    /// <summary>
    /// Take this stage out of the ring, which goes on. For side branches: where others follow the stage, or it is the only
    /// one left, this stops the ring.
    /// </summary>
    public static FaultPolicy Detach { get; } = new(FaultAction.Detach);

    internal FaultAction Action { get; }

    internal int Retries { get; private init; }

    internal TimeSpan Backoff { get; private init; }

    internal FaultPolicy? Then { get; private init; }

    /// <summary>The typed delegate of <see cref="DeadLetter{T}"/> and <see cref="Decide{T}"/>.</summary>
    internal Delegate? Target { get; private init; }

    /// <summary>Whether it may take its stage out of the ring.</summary>
    internal bool MayDetach =>
        Action == FaultAction.Detach || (Action == FaultAction.Stop && Target is not null) || Then is { MayDetach: true };

    /// <summary>Try again after a pause that doubles each time, to an hour at most; then do as <paramref name="then"/> says.</summary>
    /// <param name="attempts">How many more times to try, 1 or more.</param>
    /// <param name="backoff">The first pause; zero tries at once.</param>
    /// <param name="then">What to do when all have failed; <see cref="Stop"/> by default. Not another retry.</param>
    /// <exception cref="ArgumentOutOfRangeException">Attempts below 1, or a negative pause.</exception>
    /// <exception cref="ArgumentException"><paramref name="then"/> is a retry itself.</exception>
    public static FaultPolicy Retry(int attempts, TimeSpan backoff, FaultPolicy? then = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(attempts, 1);
        ArgumentOutOfRangeException.ThrowIfLessThan(backoff, TimeSpan.Zero);
        if (then is { Action: FaultAction.Retry }) throw HandlingErrors.RetryOfRetry();
        return new FaultPolicy(FaultAction.Retry) { Retries = attempts, Backoff = backoff, Then = then ?? Stop };
    }

    /// <summary>Try again at once; then do as <paramref name="then"/> says.</summary>
    /// <inheritdoc cref="Retry(int, TimeSpan, FaultPolicy?)"/>
    public static FaultPolicy Retry(int attempts, FaultPolicy? then = null) => Retry(attempts, TimeSpan.Zero, then);

    /// <summary>Hand the item to <paramref name="sink"/>, then pass over it. The sink copies what it keeps.</summary>
    /// <typeparam name="T">The item type of the stage.</typeparam>
    public static FaultPolicy DeadLetter<T>(DeadLetterAction<T> sink)
    {
        ArgumentNullException.ThrowIfNull(sink);
        return new FaultPolicy(FaultAction.DeadLetter) { Target = sink };
    }

    /// <summary>Ask <paramref name="decider"/> each time, with the item that failed.</summary>
    /// <param name="decider">May answer anything but <see cref="FaultAction.DeadLetter"/>, which it does itself.</param>
    /// <param name="backoff">The pause before a retry that it asks for.</param>
    /// <typeparam name="T">The item type of the stage.</typeparam>
    public static FaultPolicy Decide<T>(FaultDecider<T> decider, TimeSpan backoff = default)
    {
        ArgumentNullException.ThrowIfNull(decider);
        ArgumentOutOfRangeException.ThrowIfLessThan(backoff, TimeSpan.Zero);
        return new FaultPolicy(FaultAction.Stop) { Backoff = backoff, Target = decider };
    }

    /// <summary>The part of it that has a dead-letter sink.</summary>
    internal FaultPolicy? WithSink => Action == FaultAction.DeadLetter ? this : Then?.WithSink;

    /// <summary>Whether the typed delegates in it take <typeparamref name="T"/>.</summary>
    internal bool Fits<T>() =>
        Target is null or DeadLetterAction<T> or FaultDecider<T> && (Then is null || Then.Fits<T>());
}

/// <summary>What to do about one fault.</summary>
public enum FaultAction
{
    /// <summary>Stop the ring.</summary>
    Stop,

    /// <summary>Pass over the item.</summary>
    Skip,

    /// <summary>Try again.</summary>
    Retry,

    /// <summary>Hand the item to the sink, then pass over it.</summary>
    DeadLetter,

    /// <summary>Take the stage out of the ring.</summary>
    Detach,
}

/// <summary>One fault, as policies see it.</summary>
/// <param name="Fault">What the handler threw, or returned as the cause of its <see cref="BatchOutcome"/>.</param>
/// <param name="Stage">The stage's name.</param>
/// <param name="Sequence">The item's sequence.</param>
/// <param name="Attempt">
/// How many times this item is known to have failed, 1 for the first. A call of several items that fails, without a mark
/// that says which, counts for none of them once its parts are called.
/// </param>
public readonly record struct FaultContext(Exception Fault, string Stage, long Sequence, int Attempt);

/// <summary>Takes an item that could not be handled.</summary>
/// <typeparam name="T">The item type.</typeparam>
public delegate void DeadLetterAction<T>(ref T item, in FaultContext context);

/// <summary>Decides what to do about a fault.</summary>
/// <typeparam name="T">The item type.</typeparam>
public delegate FaultAction FaultDecider<T>(ref T item, in FaultContext context);
