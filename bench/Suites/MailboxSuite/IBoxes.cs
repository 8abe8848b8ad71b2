namespace Raceway.Suites.MailboxSuite;

/// <summary>One system of mailboxes: how one is made, posted to and ended.</summary>
/// <typeparam name="TBox">A mailbox with its actor at work.</typeparam>
internal interface IBoxes<TBox>
{
    /// <summary>Makes a mailbox for <paramref name="actor"/> and starts it.</summary>
    static abstract TBox Start(Actor actor, int? bound);

    /// <summary>Posts; blocks where it is full.</summary>
    static abstract void Post(TBox box, int message);

    /// <summary>Posts; completes where there is room.</summary>
    static abstract ValueTask PostAsync(TBox box, int message);

    /// <summary>Ends it, when everything has been handled.</summary>
    static abstract void End(TBox box);
}
