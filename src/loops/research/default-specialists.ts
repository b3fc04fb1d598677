import type { SpecialistRule, SpecialistTask } from './research-rules.ts'

/** From what is missing to who is sent, how much thought it is worth, and what is added to the prompt. */
export const DEFAULT_SPECIALISTS: Readonly<Record<SpecialistTask, SpecialistRule>> = {
  initial: {
    role: 'explore',
    model: 'fast',
    modifier:
      'This is the first look. Begin with these files, which are likely to matter: {missing_file_list}. Answer the questions below as far as the code does.',
  },
  forced: {
    role: 'explore',
    model: 'fast',
    modifier:
      'Nothing in particular is known to be missing, and still the answer is not good enough. Look more widely: {missing_file_list}. Look for what everybody overlooked so far.',
  },
  coverage_gap: {
    role: 'explore',
    model: 'fast',
    modifier: 'Analyze ONLY these files: {missing_file_list}. Provide patterns and connections to previously analyzed code.',
  },
  'confidence_gap:missing_evidence': {
    role: 'citation',
    model: 'fast',
    modifier:
      "For finding '{low_confidence_finding}', locate exact code implementation with file:line citations and code snippets.",
  },
  'confidence_gap:unclear_pattern': {
    role: 'pattern',
    model: 'fast',
    modifier: "Deep dive into '{pattern_name}' pattern. Find 3+ concrete examples with similarities and variations.",
  },
  'confidence_gap:conflict': {
    role: 'verification',
    model: 'deep',
    modifier:
      "Finding '{low_confidence_finding}' is disputed. Analyze all relevant sources and provide ground truth with comprehensive citations.",
  },
  conflicting_findings: {
    role: 'verification',
    model: 'deep',
    modifier:
      "Resolve conflict {conflict_id}: {agent_a} found '{finding_a}', {agent_b} found '{finding_b}'. Analyze all relevant sources and provide ground truth with comprehensive citations. Say which holds in \"resolutions\".",
  },
  missing_context: {
    role: 'explore',
    model: 'fast',
    modifier:
      'Trace how this fits together: {uncertain_area}. Map the complete flow from start to end with file:line references.',
  },
  unanswered_critical_questions: {
    role: 'explore',
    model: 'fast',
    modifier:
      "Answer this question with evidence from the code: '{question}'. Known so far: {current_findings}. Needed: {needed}.",
  },
  pattern_uncertainty: {
    role: 'pattern',
    model: 'fast',
    modifier: "Deep dive into '{pattern_name}' pattern. Find 3+ concrete examples with similarities and variations.",
  },
  security_concern: {
    role: 'security',
    model: 'deep',
    modifier:
      "Analyze security implications of '{uncertain_area}'. Check for vulnerabilities, best practices, and provide security recommendations.",
  },
  performance_concern: {
    role: 'performance',
    model: 'deep',
    modifier:
      "Analyze performance characteristics of '{uncertain_area}'. Identify bottlenecks, inefficiencies, and optimization opportunities.",
  },
}
