namespace Raceway.Rings;

/// <summary>What a unit that is stepped belongs to: a ring, or a mailbox.</summary>
internal interface IUnitOwner
{
    /// <summary>What its handlers are known by while they run (<see cref="Reentrancy"/>).</summary>
    object Family { get; }

    /// <summary>The unit, or its driver, failed in a way that no policy covers.</summary>
    void Fail(Exception fault);

    /// <summary>For whom the driver waits.</summary>
    WaitContext WaitContext(bool leadsChain);
}
