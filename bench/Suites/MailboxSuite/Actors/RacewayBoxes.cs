using Raceway.Concurrency;
using Raceway.Rings;

namespace Raceway.Suites.MailboxSuite.Actors;

/// <summary>Our mailbox with its default options.</summary>
internal readonly struct RacewayBoxes : IBoxes<Mailbox<int>>
{
    public static Mailbox<int> Start(Actor actor, int? bound) => Mailbox.Start<int>(actor.Take, new() { Bound = bound });

    public static void Post(Mailbox<int> box, int message) => box.Post(message);

    public static ValueTask PostAsync(Mailbox<int> box, int message) => box.PostAsync(message);

    public static void End(Mailbox<int> box)
    {
        box.Complete();
        box.Completion.Wait();
    }
}

/// <summary>Our mailbox on a thread of its own.</summary>
internal readonly struct RacewayThreadBoxes : IBoxes<Mailbox<int>>
{
    public static Mailbox<int> Start(Actor actor, int? bound) =>
        Mailbox.Start<int>(actor.Take, new() { Bound = bound, Wait = Wait.Park() });

    public static void Post(Mailbox<int> box, int message) => box.Post(message);

    public static ValueTask PostAsync(Mailbox<int> box, int message) => box.PostAsync(message);

    public static void End(Mailbox<int> box) => RacewayBoxes.End(box);
}

/// <summary>Our mailbox on the pool, with a time slice of another length.</summary>
internal readonly struct RacewaySliceBoxes<TSlice> : IBoxes<Mailbox<int>>
    where TSlice : struct, ISlice
{
    public static Mailbox<int> Start(Actor actor, int? bound) => Mailbox.Start<int>(
        actor.Take, new() { Bound = bound, Wait = Wait.Async(TimeSpan.FromMicroseconds(TSlice.Microseconds)) });

    public static void Post(Mailbox<int> box, int message) => box.Post(message);

    public static ValueTask PostAsync(Mailbox<int> box, int message) => box.PostAsync(message);

    public static void End(Mailbox<int> box) => RacewayBoxes.End(box);
}

/// <summary>The length of a time slice.</summary>
internal interface ISlice
{
    static abstract int Microseconds { get; }
}

internal readonly struct HalfMillisecond : ISlice
{
    public static int Microseconds => 500;
}

internal readonly struct FiveMilliseconds : ISlice
{
    public static int Microseconds => 5_000;
}
