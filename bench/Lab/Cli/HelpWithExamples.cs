using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace Raceway.Lab.Cli;

/// <summary>The usual help, with the command's examples and the exit codes below it.</summary>
internal sealed class HelpWithExamples(HelpAction help) : SynchronousCommandLineAction
{
    /// <inheritdoc/>
    public override bool ClearsParseErrors => true;

    /// <inheritdoc/>
    public override int Invoke(ParseResult parseResult)
    {
        int code = help.Invoke(parseResult);
        if (parseResult.CommandResult.Command is ToolCommand command)
        {
            TextWriter output = parseResult.InvocationConfiguration.Output;
            output.WriteLine("Examples:");
            foreach ((string commandLine, string does) in command.Examples)
            {
                output.WriteLine($"  {commandLine}");
                output.WriteLine($"      {does}");
            }

            output.WriteLine();
            output.WriteLine(
                "Exit codes: 0 done; 1 failed, something could not be read or written, or a run did not return; 2 wrong usage or input; "
                + "130 interrupted (what was measured is kept). A reader that leaves early (| head) changes none of them.");
        }

        return code;
    }
}
