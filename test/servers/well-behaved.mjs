/** well-behaved: does everything right. */
import { serve } from './speak.mjs'

serve()
