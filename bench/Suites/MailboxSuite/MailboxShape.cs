namespace Raceway.Suites.MailboxSuite;

/// <summary>What an actor does with a message.</summary>
public enum ActorWork
{
    /// <summary>Adds the message.</summary>
    Sum,

    /// <summary>SHA-512 of 100 bytes, and adds the message.</summary>
    Sha512,

    /// <summary>Adds up some bytes, and the message.</summary>
    Bytes,
}

/// <summary>How messages are posted.</summary>
public enum PostersKind
{
    /// <summary>One, a message to each actor in turn: a thread, or an async method where there is a bound.</summary>
    RoundRobin,

    /// <summary>One for each actor, on the thread pool.</summary>
    OneEach,
}

/// <summary>One case of the mailbox suite.</summary>
/// <param name="Actors">Actors, each with a mailbox: the write-up's T.</param>
/// <param name="Messages">Messages to each in a burst: its N. A burst begins when the one before has been handled.</param>
/// <param name="Work">What is done with a message.</param>
public sealed record MailboxShape(int Actors, int Messages, ActorWork Work)
{
    /// <summary>Bytes that <see cref="ActorWork.Bytes"/> adds up: the write-up's P.</summary>
    public int Bytes { get; init; }

    /// <summary>Whether they come with each message, written by its poster, instead of being the actor's own.</summary>
    public bool Carried { get; init; }

    /// <summary>The most messages that may wait in a mailbox; null for no bound.</summary>
    public int? Bound { get; init; }

    /// <summary>How messages are posted.</summary>
    public PostersKind Posters { get; init; }

    /// <summary>Whether actors and poster are made inside of the timed part, for each burst anew.</summary>
    public bool StartTimed { get; init; }

    /// <summary>Messages of a burst over all actors.</summary>
    public long Burst => (long)Actors * Messages;
}
