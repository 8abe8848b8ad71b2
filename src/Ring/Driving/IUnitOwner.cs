namespace Raceway.Rings;

/// <summary>What a unit that is stepped belongs to: a ring, or a mailbox.</summary>
internal interface IUnitOwner
{
    /// <summary>What its handlers are known by while they run (<see cref="Reentrancy"/>).</summary>
    object Family { get; }

    /// <summary>The unit, or its driver, failed in a way that no policy covers.</summary>
    void Fail(Exception fault);

    /// <summary>The stage that the driver waits for, and how.</summary>
    WaitContext WaitContext(bool leadsChain);
}
