namespace Raceway.Suites.RingSuite;

/// <summary>How the stages of a case hang together.</summary>
public enum Topology
{
    /// <summary>One after another.</summary>
    Chain,

    /// <summary>All beside each other, each sees every item.</summary>
    Multicast,

    /// <summary>A first stage, branches beside each other, and a last stage that joins them.</summary>
    Diamond,
}

/// <summary>What a stage does with an item.</summary>
public enum StageRole
{
    /// <summary>Adds to it.</summary>
    Add,

    /// <summary>Adds to it and checks it.</summary>
    AddAndCheck,

    /// <summary>Checks it and leaves it as it is.</summary>
    Check,
}
