namespace Raceway.Concurrency;

/// <summary>The mailbox takes no more messages: it is draining, has stopped or was disposed.</summary>
public sealed class MailboxStoppedException : InvalidOperationException
{
    internal MailboxStoppedException(string mailbox)
        : base($"The mailbox takes no more messages, it is draining or has stopped: mailbox='{mailbox}'.")
    {
    }
}

/// <summary>The mailbox's handler failed for good; the cause is the inner exception.</summary>
public sealed class MailboxFaultedException : InvalidOperationException
{
    internal MailboxFaultedException(string mailbox, Exception cause)
        : base($"The mailbox has faulted: mailbox='{mailbox}'. {cause.Message}", cause)
    {
    }
}

/// <summary>A handler waited for its own mailbox: for room that only it can make, or for an answer that only it can give.</summary>
public sealed class ReentrantMailboxException : InvalidOperationException
{
    internal ReentrantMailboxException(string message)
        : base(message)
    {
    }
}
